package lower

import "github.com/movenext/movenext/codegen/internal/source"

// The refusals of lowering. Each message says what is refused, why, and what to write instead.

func unorderedGeneric(pos source.Extent, typ string) source.Diagnostic {
	return source.Unsupported(pos, "this could be changed while the statement suspends, and is of type "+typ+" here",
		"whether the old or the new value is used depends on the type argument",
		"copy it to a variable first")
}

func hiddenTypeParam(pos source.Extent, name string) source.Diagnostic {
	return source.Unsupported(pos, name+" means something else here",
		"the generated code needs the type parameter", "rename what is declared as "+name)
}

func hiddenTwin(pos source.Extent, name string) source.Diagnostic {
	return source.Unsupported(pos, name+" means something else here",
		"the generated code calls it instead of the function", "rename what is declared as "+name)
}

func localGenericType(pos source.Extent, name string) source.Diagnostic {
	return source.Unsupported(pos, "the generic type "+name+" cannot be declared here",
		"the frame may have to name the type, so it is declared outside of the function with the type parameters of both, and two of them have one name",
		"give its type parameters other names")
}
