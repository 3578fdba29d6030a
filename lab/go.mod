module github.com/movenext/movenext/lab

go 1.26.0

require (
	github.com/movenext/movenext v0.0.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
	golang.org/x/mod v0.42.0
	golang.org/x/tools v0.52.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

replace github.com/movenext/movenext => ../

tool github.com/movenext/movenext/codegen/cmd/movenext
