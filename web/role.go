package web

import (
	"fmt"
	"slices"
)

// Role is what a client may see.
type Role string

// The roles. Viewers and overlays see what the room may see; judges and
// operators see everything.
const (
	RoleViewer   Role = "viewer"
	RoleOverlay  Role = "overlay"
	RoleJudge    Role = "judge"
	RoleOperator Role = "operator"
)

// Roles lists the roles, the least trusted first.
func Roles() []Role { return []Role{RoleViewer, RoleOverlay, RoleJudge, RoleOperator} }

// ParseRole reads a role's name.
func ParseRole(name string) (Role, error) {
	if r := Role(name); slices.Contains(Roles(), r) {
		return r, nil
	}
	return "", fmt.Errorf("web: there is no role %q; the roles are viewer, overlay, judge and operator", name)
}

// SeesEverything says whether secrets (hands, face-down cards, findings) and
// the camera's picture are for this role.
func (r Role) SeesEverything() bool { return r == RoleJudge || r == RoleOperator }
