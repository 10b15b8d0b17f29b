package model

// MaxVisitDays is the maximum number of days of which the visits are read at once.
const MaxVisitDays = 366

// DayVisits are the visits of a space on a day.
type DayVisits struct {
	SpaceID string
	// Day is the day in UTC, as 2006-01-02.
	Day    string
	Visits int64
}
