package allow

import (
	"context"
	"os"
	"sync"
	"time"
)

//movenext:async
func excused(ctx context.Context) error {
	_, err := os.ReadFile("a") //movenext:allow blocking read once, at the start
	//movenext:allow blocking a test of a test
	time.Sleep(time.Second)
	return err
}

//movenext:async
func notExcused(ctx context.Context, mu *sync.Mutex) {
	time.Sleep(1) //movenext:allow plainform another check // want `time\.Sleep blocks .* \[blocking\]` `nothing here needs an excuse for plainform; .*remove the comment \[allow\]`
	time.Sleep(1) /* want `time\.Sleep blocks .* \[blocking\]` `has no reason` */             //movenext:allow blocking
	time.Sleep(1) /* want `time\.Sleep blocks .* \[blocking\]` `"nonsense" names no check` */ //movenext:allow nonsense because
	mu.Lock()     /* want `nothing here needs` */                                             //movenext:allow heldlock a lock that is held briefly needs none
	mu.Unlock()
}

//movenext:allow blocking plain code may block // want `nothing here needs an excuse for blocking`
func plain() { time.Sleep(1) }

//movenext:allowance is another word
func other() {}
