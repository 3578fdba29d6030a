package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
)

// TestMain makes a worker of a test that was started by one.
func TestMain(m *testing.M) {
	if os.Getenv("ORDERS_WORKER") != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

func TestNoOrderIsLostWhenWorkersAreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	for name, p := range map[string]plan{
		"a file": {}, "a Postgres server": {store: postgres}, "a NATS server": {store: natsServer},
		"a NATS cluster":                 {store: natsCluster, orders: 100, faults: faults{cuts: 1}, cut: longerThanLeases},
		"wrong clocks, and a slow store": {skew: true, slow: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			p.orders = cmp.Or(p.orders, 200)
			require.NoError(t, kill(t.Context(), p, &out))
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			assert.True(t, strings.HasPrefix(lines[len(lines)-1], "lost 0, twice 0"), out.String())
		})
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestAnOrderSurvivesACrashAtEachWrite(t *testing.T) {
	for _, yes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			durabletest.CrashEverywhere(t, durabletest.Case[*Shop, Request, Receipt]{
				Function: OrderDurable,
				Plain: func(s *Shop, ctx context.Context, o Request) (Receipt, error) {
					return (&Shop{world: plainly{s.world}}).Order(ctx, o)
				},
				Receiver: func() *Shop { return &Shop{world: newLedger()} },
				Request:  Request{Items: []string{"cup"}, Card: "4711"},
				Signals:  []durabletest.Signal{{Name: "approval", Value: Approval{Yes: yes}}},
				Equal: func(a, b durabletest.Outcome[Receipt]) bool {
					return a.Result.Price == b.Result.Price && fmt.Sprint(a.Err) == fmt.Sprint(b.Err)
				},
				Check: func(t testing.TB, s *Shop) {
					var ended map[string]error
					var out bytes.Buffer
					l := s.world.(*ledger)
					assert.LessOrEqual(t, len(l.effects["charge"]), 1)
					account(&out, l, ended, 0)
				},
			})
		})
	}
}

// plainly gives effects of the plain form a key: outside of a machine there is none.
type plainly struct{ world }

func (p plainly) do(ctx context.Context, effect, key string, price int) (string, error) {
	return p.world.do(ctx, effect, key+"plain", price)
}

func TestThePageShowsWhereAnOrderIs(t *testing.T) {
	engine, err := durable.Open(t.Context(), durable.NewMemory())
	require.NoError(t, err)
	server := httptest.NewServer(front(engine))
	press := func(path, id string) string {
		answer, err := server.Client().PostForm(server.URL+path, url.Values{"id": {id}})
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return string(body)
	}
	press("/order", "one")
	text := ""
	for !strings.Contains(text, "waits for approval") && t.Context().Err() == nil {
		text = press("/order", "one")
		time.Sleep(time.Millisecond)
	}
	assert.Contains(t, text, "orders.Order, order.go:")
	assert.Contains(t, text, "held = {")
	press("/approve", "one")
	_, err = durable.Serve(engine, OrderDurable, &Shop{}).Handle("one").Wait(t.Context())
	require.NoError(t, err)
	assert.Contains(t, press("/order", "one"), "completed")
	assert.Contains(t, press("/cancel", "one"), "has ended")
	answer, err := server.Client().Get(server.URL + "/metrics")
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Contains(t, string(body), "\nmovenext_durable_instances_ended_total 1\n")
	server.Close()
	require.NoError(t, engine.Shutdown(t.Context()))
}

// Other sites can neither order nor read: not with a form, not under a name of theirs, not in a
// frame.
func TestAnotherSiteCannotUseThePage(t *testing.T) {
	engine, err := durable.Open(t.Context(), durable.NewMemory())
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = guard(front(engine), names(server.Listener.Addr()))
	server.Start()
	send := func(method, path, host string, header ...string) int {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader("id=one"))
		require.NoError(t, err)
		r.Host = cmp.Or(host, r.Host)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		answer, err := server.Client().Transport.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
		assert.Equal(t, "DENY", answer.Header.Get("X-Frame-Options"))
		assert.Contains(t, answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
		return answer.StatusCode
	}
	for _, path := range []string{"/order", "/approve", "/refuse", "/cancel", "/resume"} {
		assert.Equal(t, http.StatusForbidden, send("POST", path, "", "Sec-Fetch-Site", "cross-site"))
		assert.Equal(t, http.StatusForbidden, send("POST", path, "", "Origin", "https://evil.example"))
		assert.Equal(t, http.StatusMisdirectedRequest, send("POST", path, "evil.example", "Origin", "http://evil.example"))
	}
	for _, path := range []string{"/", "/metrics"} {
		assert.Equal(t, http.StatusMisdirectedRequest, send("GET", path, "evil.example"))
		assert.Equal(t, http.StatusOK, send("GET", path, ""))
	}
	list, err := engine.List(t.Context(), durable.Filter{})
	require.NoError(t, err)
	assert.Empty(t, list)
	assert.Equal(t, http.StatusSeeOther, send("POST", "/order", "", "Sec-Fetch-Site", "same-origin"))
	server.Close()
	require.NoError(t, engine.Shutdown(t.Context()))
}
