module example.com/calc

go 1.20

replace example.com/elsewhere => ../elsewhere
