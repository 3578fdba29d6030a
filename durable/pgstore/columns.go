package pgstore

import (
	"fmt"
	"slices"
	"strings"
)

// # Statements from columns
//
// A record is written alone or in a group, and each way creates or replaces it. These four
// statements are built from one list of columns, so that a new column cannot be missing in one of
// them. They differ in where a value comes from: a statement for one record has a parameter for
// each column, a statement for a group has an array for each column.

// column is a column of a record, with its type in Postgres.
type column struct{ name, typ string }

// recordColumns are the columns of a record, in the order of scan, of the parameters for one
// record, and of the arrays for a group.
var recordColumns = []column{
	{"id", "text"}, {"function", "text"}, {"run", "text"}, {"version", "bigint"},
	{"status", "text"}, {"reason", "text"}, {"labels", "text"},
	{"created", "bigint"}, {"updated", "bigint"},
	{"owner", "text"}, {"epoch", "bigint"}, {"due", "bigint"},
	{"seen", "bigint"}, {"floor", "bigint"}, {"state", "bytea"}, {"step", "text"},
	{"layout", "text"},
}

// columns lists the names of recordColumns.
var columns = joinColumns(func(_ int, c column) string { return c.name })

// listedColumns are the columns of a list, which has no states if $5 is true.
var listedColumns = joinColumns(func(_ int, c column) string {
	if c.name == "state" {
		return "CASE WHEN $5::boolean THEN NULL ELSE state END"
	}
	return c.name
})

// input is the table n of a group's records: an array for each column, after the array of their
// numbers in the group.
var input = "unnest($1::bigint[], " +
	joinColumns(func(i int, c column) string { return fmt.Sprintf("$%d::%s[]", i+2, c.typ) }) +
	") AS n (number, " + columns + ")"

// joinColumns returns a list of what f returns for each column.
func joinColumns(f func(i int, c column) string) string {
	var list []string
	for i, c := range recordColumns {
		if text := f(i, c); text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}

// param returns the value of a column in a statement for one record.
func param(name string) string {
	i := slices.IndexFunc(recordColumns, func(c column) bool { return c.name == name })
	return fmt.Sprintf("$%d::%s", i+1, recordColumns[i].typ)
}

// element returns the value of a column in a statement for a group.
func element(name string) string { return "n." + name }

// insertedValues returns the values of a new instance: those of its columns, then its wake.
func insertedValues(value func(column string) string) string {
	return joinColumns(func(_ int, c column) string {
		if c.name == "version" {
			return value(c.name) + " + 1"
		}
		return value(c.name)
	}) + ", CASE WHEN " + value("owner") + " = '' THEN " + value("due") + " END"
}

// assignments returns the SET clause that replaces the instance i.
func assignments(value func(column string) string) string {
	return joinColumns(func(_ int, c column) string {
		switch c.name {
		case "id":
			return ""
		case "version":
			return "version = i.version + 1"
		}
		return c.name + " = " + value(c.name)
	}) + ", takes = 0, wake = CASE WHEN " + value("owner") + " <> '' THEN NULL WHEN i.last > " + value("seen") +
		" AND " + value("status") + " IN ('running', 'waiting') THEN 0 ELSE " + value("due") + " END"
}

// versionMatches returns the condition that the instance i still has the version that was read.
func versionMatches(value func(column string) string) string {
	return "i.id = " + value("id") + " AND i.version = " + value("version")
}
