package forms

// expressions are the forms of expressions, by the symbol of their type.
var expressions = map[byte][]string{
	'I': {
		"«I» + «I»", "«I» - «I»", "«I» * «I»", "«I» / «I=1,0»", "«I=7,6» % «I»", "«I» & «I»", "«I» | «I»", "«I» ^ «I»", "«I» &^ «I»",
		"«I» << «I»", "«I» >> «I»", "«I» << «U=1,2»", "-«I»", "+«I»", "^«I»", "(«I»)",
		"«L»[«I»]", "«A»[«I»]", "«O»[«I»]", "«M»[«I»]", "«W»[«S»]", "@L{«I», «I»}[«I»]", "@M{«I»: «I»}[«I»]",
		"«R».a", "«Q».a", "«R».c[«I»]", "«Q».c[«I»]", "*«P»", "<-«C»", "«X».(@I)", "«E».(*Gr[@I, @S]).a",
		"@I(len(«S»))", "@I(len(«L»))", "@I(len(«A»))", "@I(len(«O»))", "@I(len(«M»))", "@I(len(«C»))", "@I(cap(«L»))", "@I(cap(«C»))", "@I(cap(«A»))",
		"min(«I», «I»)", "max(«I», «I», «I»)", "@I(copy(«L», «L»))", "@I(copy(«Y», «S»))", "@I(real(complex(float64(«D»), float64(«D»))))", "@I(imag(complex(float64(«D»), 1)))",
		"«F»(«I»)", "Gadd(«I», «I»)", "Gadd(«I», «I», «I»)", "Gadd([]@I(«L»)...)", "Gadd(Gtwo(«I», «I»))", "Gadd(Gytwo(t, change, «I», «I»))",
		"func(n @I) @I { return n + «I» }(«I»)", "func() @I { trace.Pause(t); return «I» + «I» }()", "Gid(«I»)", "Gsecond[@S, @I](«S», «I»)",
		"Ggive(t, func() @I { return «I» })", "Ggive(t, func() @I { trace.Pause(t); return «I» + «I» })", "Gapply(t, «F», «I»)", "Gapply(t, func(n @I) @I { return n + «I» }, «I»)",
		"Gthrough(t, «R».Wait, «I»)", "Gthrough(t, «Q».Grow, «I»)", "Gthrough(t, «&R».Grow, «I»)", "Geach(t, func() @I { return «I» }, func() @I { return «I» })",
		"«R».Plain(«I»)", "«Q».Plain(«I»)", "«Q».Inc(«I»)", "«&R».Inc(«I»)", "«R».Wait(t, «I»)", "«&R».Grow(t, «I»)", "«Q».Grow(t, «I»)", "«Q».Wait(t, «I»)",
		"«E».Wait(t, «I»)", "«E».Plain(«I»)", "«K».Wait(t, «I»)", "«K».Plain(«I»)", "Gouter[Gr[@I, @S]]{&Gbox[Gr[@I, @S]]{v: «R»}}.v.Plain(«I»)",
		"Gr[@I, @S].Plain(«R», «I»)", "(*Gr[@I, @S]).Grow(«Q», t, «I»)", "Gr[@I, @S].Wait(«R», t, «I»)", "@I(«U»)", "@I(«D»)", "@I(«S»[«I»])",
		"Gr[@I, @S]{a: «I», b: «S»}.a", "(&Gr[@I, @S]{a: «I», b: «S»}).a", "struct{ x, y @I }{«I», «I»}.x", "[...]@I{2: «I», «I»}[«I»]", "[]@L{«L», {«I»}}[0][«I»]",
	},
	'S': {
		"«S» + «S»", "«S» + «S» + «S»", "@S(«Y»)", "«S»[«I=0,1»:«I=2,3»]", "«S»[«I»:]", "«S»[:«I»]", "«S»[:]", "«R».b", "«Q».b", "«X=@S(\"a\"),@S(\"b\")».(@S)",
		"min(«S», «S»)", "@S([]rune(string(«S»)))", "@S(«S»)", "Gid[@S](«S»)", "@S(Gshow(«X»))",
	},
	'U': {"«U» + «U»", "«U» * «U»", "@U(«S»[«I»])", "@U(«Y»[«I»])", "@U(«I»)", "^«U»"},
	'D': {"«D» + «D»", "«D» / «D»", "@D(«I»)", "-«D»", "max(«D», «D»)"},
	'B': {
		"«I» == «I»", "«I» != «I»", "«I» < «I»", "«I» <= «I»", "«I» > «I»", "«I» >= «I»", "«S» == «S»", "«S» < «S»", "«D» < «D»", "«U» == «U»",
		"«R» == «R»", "«A» == «A»", "«X» == «X»", "«X» == any(«I»)", "«P» == «P»", "«V» == «V»", "«E» == «E»", "«C» != «C»", "«L» == nil", "«F» != nil",
		"«B» && «B»", "«B» || «B»", "!«B»", "«I» == «I» && «I» < «I»", "@S(«Y») == «S»", "«M»[«I»] == «I»", "any(«V») == «X»",
	},
	'L': {
		"@L{«I», «I»}", "@L{2: «I», 0: «I»}", "append(«L», «I»)", "append(«L», «I», «I»)", "append(«L», «L»...)", "append(@L(nil), «L»...)",
		"«L»[«I=0,1»:«I=2,3»]", "«L»[«I»:]", "«L»[:«I»]", "«L»[:]", "«L»[«I=0,1»:«I=2,1»:«I=3,2»]", "«L»[:«I=2,1»:«I=3,2»]", "«L»[«I=0,1»+«I=0,1»:«I=2,3»]", "«L»[@I(«U=0,1»):«I=2,3»]",
		"@L(«O»[«I=0,1»:«I=2,3»])", "@L(«&A»[«I=0,1»:«I=2,3»])", "@L(«&A»[:])", "make(@L, «I»)", "make(@L, «I», «I=3,4»)", "@L(«L»)", "[]@L{«L», {«I»}}[1]", "«X=vL1,vL2».(@L)",
	},
	'Y': {"@Y(«S»)", "append(«Y», «S»...)", "append(«Y», byte(«U»))", "«Y»[«I=0,1»:«I=2,3»]", "@Y{byte(«U»), 2}"},
	'A': {"@A{«I», «I»}", "@A{2: «I», 0: «I»}", "@A(«L»)", "@A(*«O»)", "*(*@A)(«L»)", "[2]@A{«A», «A»}[«I»]", "«X=vA1,vA2».(@A)"},
	'O': {"(@O)(«L»)", "(*[4]@I)(«&A»[:])"},
	'M': {"@M{«I»: «I»}", "@M{«I»: «I», «I=5,6»: «I»}", "make(@M, «I»)", "map[@B]@M{«B»: «M»}[«B»]"},
	'W': {"@W{«S»: «I»}", "@W{\"a\": «I», «S»: «I»}"},
	'P': {"&«&I»", "&«L»[«I»]", "&«&A»[«I»]", "&«O»[«I»]", "&«Q».a", "&«&R».a", "&«&R».c[«I»]", "Gp(«I»)", "func() *@I { p := new(@I); *p = «I»; return p }()"},
	'C': {"make(@C, «I»)", "(@C)(«C»)"},
	'F': {"Gsecond[@I, @F](«I», func(n @I) @I { return n + «!I» })", "«R».Plain", "«Q».Inc", "«E».Plain", "«X=@F(Gid[@I]),nil».(@F)"},
	'R': {"Gr[@I, @S]{a: «I», b: «S»}", "Gr[@I, @S]{«I», «S», [2]@I{«I», 1}}", "*«Q»", "«X=vR1,vR2».(Gr[@I, @S])", "Gouter[Gr[@I, @S]]{&Gbox[Gr[@I, @S]]{v: «R»}}.v"},
	'Q': {"&Gr[@I, @S]{a: «I», b: «S»}", "&«&R»", "«E».(*Gr[@I, @S])"},
	'X': {"any(«I»)", "any(«S»)", "any(«R»)", "any(«A»)", "any(«L»)", "any(«V»)", "any(«E»)", "any(*«Q»)", "any(«M»[«I»])", "interface{ Plain(@I) @I }(«R»)"},
	'E': {"Gm[@I](«R»)", "Gm[@I](«Q»)", "Gm[@I](«K»)", "«X=vR1,vR2».(Gm[@I])"},
	'V': {"Gid(«V»)", "«X=vV1,vV2».(@V)", "map[@V]@V{«V»: «V»}[«V»]", "[]@V{«V», «V»}[«I»]"},
	'N': {"Gsecond[@I, @N](«I», func(yield func(@I, @I) bool) { _ = yield(«!I», 1) })"},
}

// symbolsInOrder lists the symbols of expressions, so that the order of cases is fixed.
const symbolsInOrder = "ISUDBLYAOMWPCTFRQXEVKN"
