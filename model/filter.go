package model

// SpaceFilter selects spaces. An empty field selects all spaces; several values of one field select
// the spaces that have any of them.
type SpaceFilter struct {
	// Text must be in the title or the description.
	Text         string
	Privacy      []Privacy
	ChangedSince Time
	// Shared selects the spaces with a block of ShareField.
	Shared bool
}

// FileFilter selects files in any of these formats; none selects all files.
type FileFilter struct{ Format []FileFormat }

// EntityFilter selects entities of any of these types; none selects all entities.
type EntityFilter struct{ Type []string }

// JobFilter selects the jobs that have one of the states; all jobs if Status is empty.
type JobFilter struct{ Status []JobStatus }

// maxFilterValues is the maximum number of values of one field of a filter.
const maxFilterValues = 50

// Validate refuses more than maxFilterValues types, and a type that no entity can have.
func (f EntityFilter) Validate() error {
	if len(f.Type) > maxFilterValues {
		return Invalidf("type must have at most %d values", maxFilterValues).WithField("type")
	}
	for _, kind := range f.Type {
		if err := checkText("type", kind, 128); err != nil {
			return err
		}
	}
	return nil
}
