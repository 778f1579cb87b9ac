// Package tapper holds an example game of the tapping kind. Its folder is what a
// club would write: data and no Go. This file only puts it into the program, to
// be played and to be copied.
package tapper

import (
	"embed"
	"io/fs"

	"tabletop/rules"
	"tabletop/rules/packfile"
)

//go:embed pack.yaml messages/*.yaml scenarios/*.txt
var folder embed.FS

// Pack is the pack "tapper".
func Pack() (rules.Pack, error) { return packfile.Load(folder, "rules/tapper") }

// Folder is the pack as it is written: pack.yaml, messages/, scenarios/.
func Folder() fs.FS { return folder }
