package model

// SettingSource is where the value of a setting comes from.
type SettingSource string

// A flag takes precedence over the environment, and both over the default.
const (
	SourceDefault     SettingSource = "default"
	SourceEnvironment SettingSource = "environment"
	SourceFlag        SettingSource = "flag"
	SourceFile        SettingSource = "file" // in the data folder
)

// Setting is the effective value of a setting. It contains no secret.
type Setting struct {
	Name   string        `json:"name"` // of the variable
	Value  string        `json:"value"`
	Source SettingSource `json:"source"`
	Help   string        `json:"help"`
}
