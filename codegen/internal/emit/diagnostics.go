package emit

import "github.com/movenext/movenext/codegen/internal/source"

// The findings of the printer. Each message says what is wrong, why, and what to write instead.

func unnameableType(pos source.Extent, err error) source.Diagnostic {
	return source.Unsupported(pos, "a value of this type has to be kept in the frame",
		err.Error(), "copy what is needed of it before the suspension, keep it in an interface, or give the type a name that this package can write")
}

func hiddenName(pos source.Extent, name string) source.Diagnostic {
	return source.Unsupported(pos, name+" means something else here",
		"the generated code needs the predeclared name", "rename what is declared as "+name)
}

func unnameableSignature(fn *source.Function, err error) source.Diagnostic {
	return source.Diagnostic{
		Pos: fn.Package.Position(fn.Decl.Name.Pos()), Category: source.CategoryAnnotation,
		What: fn.Decl.Name.Name + " cannot have a generated twin",
		Why:  err.Error(),
		Do:   "give the type a name that this package can write",
	}
}

func unnameableAnnotatedType(t *source.AnnotatedType, err error) source.Diagnostic {
	return source.Diagnostic{
		Pos: t.Package.Position(t.Spec.Name.Pos()), Category: source.CategoryAnnotation,
		What: t.Object.Name() + " cannot be annotated",
		Why:  err.Error(),
		Do:   "give the type a name that this package can write",
	}
}
