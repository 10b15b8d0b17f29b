package model

// MaxVisitDays is the maximum number of days of one request for visits.
const MaxVisitDays = 366

// DayVisits counts the visits of a space on a day.
type DayVisits struct {
	SpaceID string
	// Day is the day in UTC, as 2006-01-02.
	Day    string
	Visits int64
}
