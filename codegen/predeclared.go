package codegen

// predeclared is a name of the universe that generated code needs. The function's
// own variables give way where they have moved; inside of statements that are
// kept, only true is needed, to return. Booleans can be had without their names.
func (p *printer) predeclared(name string) string {
	hidden := p.u.fn.Package.Names[name]
	switch {
	case name == "true" && (hidden || p.u.names.hidden[name]):
		return "0 == 0"
	case name == "false" && hidden:
		return "0 != 0"
	case !hidden:
		return name
	}
	spelled, ok := p.u.imports.Predeclared(name)
	if !ok {
		p.u.refuse(hiddenName(p.u.at(p.u.fn.Decl.Name), name))
	}
	return spelled
}

// newValue is an expression for a pointer to a new zero value of a type.
func (p *printer) newValue(spelled string) string {
	if p.u.fn.Package.Names["new"] || p.u.names.hidden["new"] {
		return p.runtime("NewOf") + "[" + spelled + "]()"
	}
	return "new(" + spelled + ")"
}
