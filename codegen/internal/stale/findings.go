package stale

import (
	"go/ast"
	"go/token"

	"github.com/movenext/movenext/codegen/internal/source"
)

const generate = "run go generate"

func at(node ast.Node, what, why string) Finding {
	return Finding{Pos: node.Pos(), End: node.End(), What: what, Why: why, Do: generate}
}

func twinStale(fn *ast.FuncDecl, file string) Finding {
	name := source.DeclaredName(fn)
	return at(fn.Name, "the twin of "+name+" is stale", name+" has changed since "+file+" was generated, and machines run the old code")
}

func twinMissing(fn *ast.FuncDecl, file string) Finding {
	name := source.DeclaredName(fn)
	return at(fn.Name, name+" has no twin in "+file, "it was annotated, renamed or moved since that file was generated, and machines that call it block")
}

func fileMissing(fn *ast.FuncDecl, file string) Finding {
	name := source.DeclaredName(fn)
	return at(fn.Name, name+" has no twin, since "+file+" is missing", "machines that call it block")
}

// functionGone returns a finding in the source, since linters leave out those in generated files.
func functionGone(file *ast.File, name, generated string) Finding {
	return at(file.Name, generated+" still has the twin of "+name+", which is not annotated in this file",
		"it was renamed, moved or removed, or lost its annotation, and whoever calls the twin runs the old code")
}

func sourceGone(pos token.Pos, file, from string) Finding {
	return Finding{
		Pos: pos, End: pos, What: file + " was generated from " + from + ", which is gone",
		Why: "whoever calls its twins runs the old code", Do: generate,
	}
}

func misnamed(pos token.Pos, file, from string) Finding {
	return Finding{
		Pos: pos, End: pos, What: file + " was generated from " + from + ", but has the name of another file's",
		Why: "whoever calls its twins runs the old code", Do: generate,
	}
}

func withoutDigests(fn *ast.FuncDecl, file string) Finding {
	return at(fn.Name, file+" has no digests of the functions in this file", "an older movenext wrote it, so it cannot be seen whether it is stale")
}

func altered(fn *ast.FuncDecl, file, damage string) Finding {
	what := file + " is not as it was generated"
	if damage != "" {
		what += ": " + damage
	}
	found := at(fn.Name, what, "it was edited or merged, so its digests prove nothing")
	found.Do = "remove it and " + generate
	return found
}
