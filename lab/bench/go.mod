module github.com/movenext/movenext/lab/bench

go 1.26.0

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/bytedance/gopkg v0.1.4
	github.com/cloudwego/netpoll v0.7.2
	github.com/coder/websocket v1.8.15
	github.com/gammazero/workerpool v1.3.0
	github.com/gobwas/ws v1.5.0
	github.com/lesismal/nbio v1.6.8
	github.com/movenext/movenext v0.0.0-00010101000000-000000000000
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/panjf2000/gnet/v2 v2.9.7
	github.com/samber/mo v1.16.0
	github.com/sourcegraph/conc v0.3.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
	golang.org/x/sync v0.24.0
)

require (
	github.com/cloudwego/gopkg v0.1.4 // indirect
	github.com/gammazero/deque v1.2.2 // indirect
	github.com/gobwas/httphead v0.1.0 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	go.uber.org/zap v1.27.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	gopkg.in/natefinch/lumberjack.v2 v2.2.1 // indirect
)

replace github.com/movenext/movenext => ../../

tool github.com/movenext/movenext/codegen/cmd/movenext
