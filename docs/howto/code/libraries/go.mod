module github.com/movenext/movenext/docs/howto/code/libraries

go 1.26.0

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/movenext/movenext v0.0.0
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/sourcegraph/conc v0.3.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
	golang.org/x/sync v0.24.0
	golang.org/x/time v0.16.0
)

require (
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/movenext/movenext => ../../../../

tool github.com/movenext/movenext/codegen/cmd/movenext
