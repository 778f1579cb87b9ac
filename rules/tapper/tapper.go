// Package tapper holds an example game of the tapping kind. Its folder is what a
// club would write: data and no Go. This file only puts it into the program.
package tapper

import (
	"embed"

	"tabletop/rules"
	"tabletop/rules/packfile"
)

//go:embed pack.yaml messages/*.yaml
var folder embed.FS

// Pack is the pack "tapper".
func Pack() (rules.Pack, error) { return packfile.Load(folder, "rules/tapper") }
