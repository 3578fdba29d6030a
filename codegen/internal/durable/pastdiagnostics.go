package durable

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
	"github.com/movenext/movenext/codegen/internal/source"
)

// The findings about the past of durable functions.

// categoryLayout is for changes that instances in flight would not survive without a decision.
const categoryLayout = "layout"

func layoutDiagnostic(pos source.Extent, what, why, do string) source.Diagnostic {
	return source.Diagnostic{Pos: pos.From, End: pos.To, Category: categoryLayout, What: what, Why: why, Do: do}
}

// changedLayout returns the finding for a difference that has not been accepted. fatal says that
// instances cannot continue at all.
func changedLayout(lo *lowering, hash string, d layout.Difference, fatal bool) source.Diagnostic {
	name := lo.name
	do := fmt.Sprintf("if they may continue all the same, run go tool movenext accept %s; else %s", name, elsewise(lo, hash))
	if fatal {
		do = elsewise(lo, hash) + fmt.Sprintf("; or, if none is in flight, run go tool movenext accept -strand %s, which leaves them behind", name)
	}
	return layoutDiagnostic(lo.at(d.Point), fmt.Sprintf("%s: %s, for instances of layout %s", name, d.What, hash), d.Why, do)
}

// elsewise returns the alternatives that keep what the instances have saved.
func elsewise(lo *lowering, hash string) string {
	name, fn := lo.name, lo.fn.Decl.Name.Name
	return fmt.Sprintf("migrate them with func migrate%s%.4s(s *durable.Saved) error, below %s name=%s from=%s; or keep both functions, this one with name=%s.2",
		strings.ToUpper(fn[:1])+fn[1:], strings.ToUpper(hash), source.DirectiveMigrate, name, hash, name)
}

func changedMeaning(lo *lowering) source.Diagnostic {
	name := lo.name
	return layoutDiagnostic(lo.at(""), name+": its source has changed since it was accepted",
		"instances in flight continue after their points with the new code, and no layout shows whether that is right",
		fmt.Sprintf("if it is, run go tool movenext accept %s; else keep the old function under another Go name with name=%s, and give this one name=%s.2", name, name, name))
}

func pointAgain(lo *lowering, point string) source.Diagnostic {
	name := lo.name
	return layoutDiagnostic(lo.at(point), fmt.Sprintf("%s: the point %s was removed before, and is back", name, point),
		"instances that were saved at the old one, or have passed it, would take this one for it",
		fmt.Sprintf("give it another name with %s NAME; or, if it is the same one, run go tool movenext accept %s", source.DirectivePoint, name))
}

func functionAgain(lo *lowering) source.Diagnostic {
	name := lo.name
	return layoutDiagnostic(lo.at(""), fmt.Sprintf("the durable function %s was removed before, and is back", name),
		"instances of the old one may be in flight, and would be taken for its own",
		fmt.Sprintf("give it another name; or, if it is the same one, run go tool movenext accept %s", name))
}

func sameDurableName(lo *lowering) source.Diagnostic {
	return layoutDiagnostic(lo.at(""), "two durable functions of the package have the name "+lo.name,
		"instances are stored under it", "rename one of them")
}

func durableGone(path string, fn *layout.Function) source.Diagnostic {
	pos := position(path, fn.Line)
	return source.Diagnostic{
		Pos: pos, End: pos, Category: categoryLayout,
		What: fmt.Sprintf("the durable function %s is gone", fn.Name),
		Why:  "instances in flight wait for a program that has it",
		Do:   fmt.Sprintf("put it back until they have ended; or run go tool movenext accept %s, if there are none; or, if it is in another package now, move its section to the file there", fn.Name),
	}
}

// foreignForgets returns the finding that a function of another module cannot load what it has
// saved here.
func foreignForgets(path string, i layout.Import, used bool) source.Diagnostic {
	pos := position(path, i.Line)
	d := source.Diagnostic{
		Pos: pos, End: pos, Category: categoryLayout,
		What: fmt.Sprintf("%s of %s no longer knows layout %s", i.Name, i.From, i.Layout),
		Why:  "instances that this program has saved with it would be stuck",
		Do:   fmt.Sprintf("use a version of its module that resumes or migrates it; or, if none is in flight, run go tool movenext accept %s", i.Name),
	}
	if !used {
		d.What = fmt.Sprintf("%s of %s is no longer used here", i.Name, i.From)
		d.Why = "instances in flight wait for a program that has it"
		d.Do = fmt.Sprintf("put it back until they have ended; or, if there are none, run go tool movenext accept %s", i.Name)
	}
	return d
}

func layoutsDamaged(path string, err error) source.Diagnostic {
	var damage *layout.Error
	if !errors.As(err, &damage) {
		return source.Unreadable(path, err)
	}
	pos := position(path, damage.Line)
	return source.Diagnostic{Pos: pos, End: pos, Category: source.CategoryWrite, What: damage.What, Why: damage.Why, Do: damage.Do}
}

func layoutsMissing(lo *lowering) source.Diagnostic {
	return layoutDiagnostic(lo.at(""), lo.name+": "+layout.Name+" is missing",
		"the generated file was made with other layouts, which instances in flight may have",
		"restore it from version control; or, if none is in flight, remove the generated file, and generate again")
}

// The findings about migrations.

func migrationDiagnostic(m migration, what, why, do string) source.Diagnostic {
	return source.Diagnostic{Pos: m.pos, End: m.pos, Category: categoryLayout, What: what, Why: why, Do: do}
}

func migratesUnknown(m migration, known []string) source.Diagnostic {
	return migrationDiagnostic(m, fmt.Sprintf("%s migrates %s from layout %s, which it never had", m.goName, m.function, m.from),
		"the layouts before the present one are: "+cmp.Or(strings.Join(known, ", "), "none"), "correct from=, or remove the function")
}

func migratesTwice(m migration) source.Diagnostic {
	return migrationDiagnostic(m, fmt.Sprintf("%s is the second migration of %s from layout %s", m.goName, m.function, m.from),
		"an instance can take only one", "remove one of them")
}

func notAMigration(m migration) source.Diagnostic {
	return migrationDiagnostic(m, m.goName+" does not have the signature of a migration", "the engine passes in what was saved", "write func "+m.goName+"(s *durable.Saved) error")
}

func migratesNothing(m migration) source.Diagnostic {
	return migrationDiagnostic(m, fmt.Sprintf("%s migrates %s, and the package has no durable function of that name", m.goName, m.function),
		"a migration belongs in the package of its function", "correct name=, or move or remove it")
}
