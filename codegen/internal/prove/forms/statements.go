package forms

// statements are the forms of statements. They log what they do.
var statements = []string{
	// Expressions as statements, declarations.
	"Gn(t, «I»)", "<-«C»", "«F»(«I»)", "Gadd(«I», «I»)", "«Q».Grow(t, «I»)", "«K».Wait(t, «I»)", "{\n;\n«;»\n}", "trace.Pause(t)\n«;»",
	"var r @I = «I»\nt.Log(\"%v\", r)", "var r, s = «I», «S»\nt.Log(\"%v %v\", r, s)", "var r, s @I = Gtwo(«I», «I»)\nt.Log(\"%v %v\", r, s)",
	"const r, s = iota + 1, 2\nt.Log(\"%v %v\", «I» + r, s)", "type T struct{ x @I; y []T }\nr := T{«I», []T{{x: «I»}}}\nt.Log(\"%v\", r)", "type T = @L\nr := T{«I»}\nt.Log(\"%v\", r)",
	"var r @L\n«;»\nt.Log(\"%v\", append(r, «I»))", "var r @A\nr[«I»] = «I»\n«;»\nt.Log(\"%v\", r)", "var r @V\nt.Log(\"%v\", r == «V»)",

	// Assignments of one value.
	"«=I» = «I»", "«=S» = «S»", "«=B» = «B»", "«=D» = «D»", "«=L» = «L»", "«=A» = «A»", "«=M» = «M»", "«=R» = «R»", "«=X» = «X»", "«=V» = «V»", "«=F» = «F»", "«=E» = «E»", "«=X» = «I»", "«=E» = «Q»", "«=P» = «P»",
	"«=I» += «I»", "«=I» -= «I»", "«=I» *= «I»", "«=I» /= «I=1,0»", "«=I» %= «I»", "«=I» &= «I»", "«=I» |= «I»", "«=I» ^= «I»", "«=I» &^= «I»", "«=I» <<= «I»", "«=I» >>= «I»",
	"«=S» += «S»", "«=U» *= «U»", "«=D» /= «D»", "«=I»++", "«=U»--", "«=D»++",
	"«L»[«I»] = «I»", "«L»[«I»] += «I»", "«L»[«I»]++", "«&A»[«I»] = «I»", "«&A»[«I»] += «I»", "«O»[«I»] = «I»", "«M»[«I»] = «I»", "«M»[«I»] += «I»", "«M»[«I»]--", "«W»[«S»] = «I»", "«W»[«S»] += «I»",
	"«Q».a = «I»", "«Q».a += «I»", "«Q».b += «S»", "«&R».a = «I»", "«&R».c[«I»] = «I»", "«Q».c[«I»] += «I»", "*«P» = «I»", "*«P» += «I»", "*«P»++", "(«=I») = «I»", "*«Q» = «R»", "*«O» = [4]@I{«I»}",
	"k := map[@I]@L{1: {1}}\nk[«I»] = append(k[«I»], «I»)\nt.Log(\"%v\", k)", "«=L» = append(«L», «I»)", "«=S» = «S»[«I=0,1»:«I=2,3»]", "«=L» = «L»[«I»:]",

	// Assignments and declarations of several values.
	"«=I», «=S» = «I», «S»", "«=I», «=I» = «I», «I»", "«=I», «L»[«I»] = «I», «I»", "«L»[«I»], «=I» = «I», «I»", "x := @I(1)\nx, «L»[x] = «I», «I»\nt.Log(\"%v\", x)", "«Q».a, *«P» = «I», «I»",
	"«=Q», «Q».a = «Q», «I»", "«M»[«I»], «=B» = «I», «B»", "«=I», «=I» = Gtwo(«I», «I»)", "«=I», «=I» = Gytwo(t, change, «I», «I»)", "«L»[«I»], «=I» = Gytwo(t, change, «I», «I»)", "r, s := «I», «S»\nt.Log(\"%v %v\", r, s)",
	"«=I», «=B» = «M»[«I»]", "«=I», «=B» = «X».(@I)", "«=I», «=B» = <-«C»", "r, ok := «M»[«I»]\nt.Log(\"%v %v\", r, ok)", "r, ok := «X».(@I)\nt.Log(\"%v %v\", r, ok)", "r, ok := <-«C»\nt.Log(\"%v %v\", r, ok)",
	"var r, ok = «M»[«I»]\nt.Log(\"%v %v\", r, ok)", "«L»[«I»], «=B» = «M»[«I»]", "_, «=B» = «E».(*Gr[@I, @S])", "«=L», «=I» = «L»[«I=0,1»:«I=2,3»], «I»",

	// Built-in functions as statements, channels, goroutines, deferred calls.
	"copy(«L»[«I»:], «L»)", "clear(«L»)", "clear(«M»)", "delete(«M», «I»)", "delete(«W», «S»)", "close(«C»)", "panic(«X»)", "panic(Gshow(«I»))",
	"c := make(chan @I, 2)\nc <- «I»\nt.Log(\"%v\", <-c + «I»)", "c := make(@C, 9)\nc <- «I»\n«;»\nt.Log(\"%v\", len(c))", "«C» <- «I»", "«T» <- «I»", "select {\ncase «T» <- «I»:\n«;»\n}", "Gc2(«C») <- «I»", "for c := «C»; len(c) > 0; {\nt.Log(\"%v\", <-c + «I»)\n}",
	"c := make(chan @I, 1)\ngo Gsend(c, «I»)\nt.Log(\"%v\", <-c)", "c := make(chan @I, 1)\ngo func(n @I) { c <- n }(«I»)\n«;»\nt.Log(\"%v\", <-c)", "c := make(chan @I, 1)\ngo «Q».Send(c, «I»)\nt.Log(\"%v\", <-c)",
	"defer Gnote(t, «I», «S»)", "defer «Q».Log(t, «I»)", "defer «R».Log(t, «I»)", "defer «E».Log(t, «I»)", "defer func(n @I) { t.Log(\"deferred %v\", n) }(«I»)\n«;»", "defer func() {\nt.Log(\"recovered %v\", recover())\n«;»\nn = int(«I»)\n}()\npanic(«I»)",
	"defer Gy(t, change, «I»)\nn = int(«I»)", "defer trace.Pause(t)\n«;»",

	// Leaving.
	"if true {\nreturn int(«I»), trace.Err(int(«I»))\n}", "defer func() { n *= 10 }()\nif n == 0 {\nreturn int(«I»), nil\n}", "if n == 0 {\nn, err = int(«I»), trace.Err(int(«I»))\nreturn\n}", "r, s := func() (@I, @S) { return «I», «S» }()\nt.Log(\"%v %v\", r, s)",
	"r, s := func() (_ @I, s @S) { trace.Pause(t); s = «S»; return «I», s }()\nt.Log(\"%v %v\", r, s)",

	// Branches.
	"if «B» {\n«;»\n} else {\nt.Log(\"else\")\n}", "if «I» < «I» {\nt.Log(\"less\")\n} else if «B» {\n«;»\n} else {\nt.Log(\"else\")\n}", "if r := «I»; r == «I» {\nt.Log(\"%v\", r)\n} else {\n«;»\n}", "if r, ok := «M»[«I»]; ok && r > «I» {\n«;»\n}",
	"switch «I» {\ncase «I», «I=2,1»:\nt.Log(\"first\")\nfallthrough\ncase 7:\n«;»\ncase «I=3,1»:\nt.Log(\"third\")\ndefault:\nt.Log(\"default\")\n}", "switch {\ncase bool(«B»), bool(«B»):\n«;»\ndefault:\nt.Log(\"default\")\ncase «I» == «I»:\nt.Log(\"last\")\n}",
	"switch r := «S»; r {\ncase «S»:\nt.Log(\"same\")\n}", "switch «X» {\ncase «I»:\nt.Log(\"same\")\ncase «S»:\nt.Log(\"text\")\n}", "switch «V» {\ncase «V»:\nt.Log(\"same\")\n}",
	"switch r := «X».(type) {\ncase @I:\n«;»\nt.Log(\"I %v\", r)\ncase @S, @L:\nt.Log(\"S %v\", r)\ncase nil:\n}", "switch «E».(type) {\ncase *Gr[@I, @S]:\n«;»\ncase Gr[@I, @S]:\nt.Log(\"value\")\n}", "switch r := «I»; s := any(r).(type) {\ncase @I:\nt.Log(\"%v %v\", s, «I»)\n}",
	"select {\ncase «=I» = <-«C»:\n«;»\ndefault:\nt.Log(\"default\")\n}", "select {\ncase r, ok := <-«C»:\nt.Log(\"%v %v\", r, ok)\n«;»\ncase Gnone(«I») <- «I»:\n}", "select {\ncase «=I», «=B» = <-«C»:\n}", "select {\ncase Gnone(«I») <- «I»:\ndefault:\n«;»\n}",
	"select {\ncase «L»[«I»] = <-«C»:\n«;»\n}", "select {\ncase «C» <- «I»:\ncase <-Gnil(«I»):\ndefault:\nt.Log(\"default\")\n}",

	// Loops.
	"for i := «I=0,1»; i < 3; i++ {\nt.Burn()\n«;»\nt.Log(\"%v\", i)\n}", "for i := 0; i < int(«I=2,3»); i += int(«I») {\nt.Burn()\nt.Log(\"%v\", i)\n}", "var fs []func() int\nfor i := 0; i < 2; i++ {\n«;»\nfs = append(fs, func() int { i++; return i })\n}\nt.Log(\"%v %v %v\", fs[0](), fs[1](), fs[0]() + int(«I»))",
	"for «B» {\nt.Burn()\n«;»\nif true {\nbreak\n}\n}", "for {\n«;»\nbreak\n}", "i := 0\nfor i < 2 {\nt.Burn()\ni++\n«;»\ncontinue\n}",
	"for i := range «I» {\nt.Log(\"%v\", i)\n«;»\n}", "for range «I» {\n«;»\n}", "for i, v := range «L» {\nt.Log(\"%v %v\", i, v)\n«;»\n}", "for i, v := range «A» {\nt.Log(\"%v %v\", i, v)\n«;»\n}", "for i, v := range «O» {\nt.Log(\"%v %v\", i, v)\n«;»\n}", "for i := range «A» {\n«;»\nt.Log(\"%v\", i)\n}",
	"for i, v := range «S» {\nt.Log(\"%v %v\", i, v)\n«;»\n}", "for k, v := range (@M{«I»: «I»}) {\n«;»\nt.Log(\"%v %v\", k, v)\n}", "for range «M» {\n«;»\n}", "c := «C»\nclose(c)\nfor v := range c {\nt.Log(\"%v\", v)\n«;»\n}", "c := make(@C, 3)\nc <- «I»\nc <- «I»\nclose(c)\nfor v := range c {\nt.Log(\"%v\", v)\n«;»\n}",
	"for k, v := range «N» {\nt.Log(\"%v %v\", k, v)\n«;»\n}", "for «=I», «=I» = range «N» {\n«;»\n}", "for «=I», «L»[«I»] = range «N» {\n«;»\n}", "x := @I(0)\nfor x, «L»[x] = range «N» {\n«;»\n}\nt.Log(\"%v\", x)", "p := &Gl[@I]{v: 5}\nq := p\nfor p, p.v = range Glinks(«I») {\n«;»\n}\nt.Log(\"%v %v\", p.v, q.v)",
	"for «=I» = range «I» {\n«;»\n}", "x := 0\nfor x, «=I» = range «L» {\n«;»\n}\nt.Log(\"%v\", x)", "x := 0\nfor x, «M»[@I(x)] = range «A» {\n«;»\n}", "for «=I» = range (@M{«I»: «I»}) {\n}", "var x rune\nfor _, x = range «S» {\n«;»\n}\nt.Log(\"%v\", x)",
	"for i := range Gseq(t, «I») {\nif i > 0 {\nbreak\n}\n«;»\n}", "func() {\nfor range Gseq(t, «I») {\n«;»\nif n == 0 {\nreturn\n}\n}\n}()",
	"for i := range Gseq(t, «I») {\ndefer t.Log(\"deferred %v\", i)\n«;»\ncontinue\n}", "outer:\nfor i := range 3 {\nfor j := range Gseq(t, «I») {\n«;»\nif i == 1 {\ncontinue outer\n}\nif j == 1 {\nbreak outer\n}\n}\n}",

	// Labels.
	"outer:\nfor i := range 2 {\nfor {\n«;»\nif i == 0 {\ncontinue outer\n}\nbreak outer\n}\n}", "i := 0\nagain:\nt.Burn()\n«;»\nif i++; i < 2 {\ngoto again\n}", "if «B» {\ngoto behind\n}\n«;»\nbehind:\nt.Log(\"behind\")", "block:\nswitch {\ndefault:\nif «B» {\nbreak block\n}\n«;»\n}", "select {\ndefault:\n«;»\nbreak\n}",
}
