package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tabletop/hardware"
)

func newDoctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what of this machine works: cameras, light, OpenCV",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := cmd.OutOrStdout()
			for _, c := range hardware.Inspect(cmd.Context()) {
				mark := "ok  "
				if !c.OK {
					mark = "--  "
				}
				fmt.Fprintf(w, "%s%-18s %s\n", mark, c.Name, c.Detail)
				if c.Help != "" {
					fmt.Fprintf(w, "%22s%s\n", "", c.Help)
				}
			}
			return nil
		},
	}
}

func newConfigCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "config",
		Short:   "Print a settings file with every key, its default and what it means",
		Example: "  scanner config > scanner.yaml",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), referenceConfig)
			return err
		},
	}
}
