package model

// ImportSettings is the input of importSupersplatSettings.
type ImportSettings struct {
	SpaceID string
	// Settings is the content of a settings file of SuperSplat's viewer.
	Settings Object
}

// ImportedSettings is the result of importSupersplatSettings.
type ImportedSettings struct {
	Space                      *Space
	AnnotationCount, TourCount int
}
