//go:build !matprofile

package camera_test

// openMats counts only with -tags matprofile.
func openMats() int { return 0 }
