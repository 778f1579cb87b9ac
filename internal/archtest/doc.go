// Package archtest holds tests that read the source of the whole program and
// fail when it breaks one of the house rules: which package may import which.
package archtest
