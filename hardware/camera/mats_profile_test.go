//go:build matprofile

package camera_test

import "gocv.io/x/gocv"

func openMats() int { return gocv.MatProfile.Count() }
