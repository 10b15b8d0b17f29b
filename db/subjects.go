package db

// The statements of each subject. A subject is a view of a database or a transaction: it costs nothing
// to make, and inside InTx it is made of the transaction.
type (
	// Accounts has accounts: who they are, their limits, avatars and followers, and whether their access
	// was revoked.
	Accounts struct{ *DB }
	// Keys has API keys, and what apps get by OAuth.
	Keys struct{ *DB }
	// SignIns has how people sign in: passwords mailed anew, passkeys, one-time codes, identities, sessions.
	SignIns struct{ *DB }
	// Audit has the audit trail.
	Audit struct{ *DB }
	// Spaces has spaces: their texts, files, privacy, locks and visits.
	Spaces struct{ *DB }
	// History has versions of spaces, and what restores them.
	History struct{ *DB }
	// Entities has the entities of spaces.
	Entities struct{ *DB }
	// Files has files, what is derived from them, and objects to remove.
	Files struct{ *DB }
	// Uploads has uploads that are not files yet.
	Uploads struct{ *DB }
	// Splats has uploads of SuperSplat's API, and spaces as that API shows them.
	Splats struct{ *DB }
	// Jobs has the jobs that clients see.
	Jobs struct{ *DB }
	// Queue has what workers do next.
	Queue struct{ *DB }
	// Moderation has reports, and spaces that an operator took down.
	Moderation struct{ *DB }
	// Notifications has notifications of people.
	Notifications struct{ *DB }
	// Webhooks has webhooks and their deliveries.
	Webhooks struct{ *DB }
	// ShareLinks has the links that open a space whatever its privacy.
	ShareLinks struct{ *DB }
	// Handles has the names of accounts and spaces in addresses.
	Handles struct{ *DB }
	// Watched has versions of rows that subscriptions watch.
	Watched struct{ *DB }
	// Operations has what operators read of the server: samples, counts, its clock.
	Operations struct{ *DB }
)

// ShareLinks returns the statements on share links.
func (db *DB) ShareLinks() ShareLinks { return ShareLinks{db} }

// Handles returns the statements on names in addresses.
func (db *DB) Handles() Handles { return Handles{db} }

// Accounts returns the statements on accounts.
func (db *DB) Accounts() Accounts { return Accounts{db} }

// Keys returns the statements on API keys.
func (db *DB) Keys() Keys { return Keys{db} }

// SignIns returns the statements on how people sign in.
func (db *DB) SignIns() SignIns { return SignIns{db} }

// Audit returns the statements on the audit trail.
func (db *DB) Audit() Audit { return Audit{db} }

// Spaces returns the statements on spaces.
func (db *DB) Spaces() Spaces { return Spaces{db} }

// History returns the statements on versions.
func (db *DB) History() History { return History{db} }

// Entities returns the statements on entities.
func (db *DB) Entities() Entities { return Entities{db} }

// Files returns the statements on files.
func (db *DB) Files() Files { return Files{db} }

// Uploads returns the statements on uploads.
func (db *DB) Uploads() Uploads { return Uploads{db} }

// Splats returns the statements on uploads and spaces of SuperSplat's API.
func (db *DB) Splats() Splats { return Splats{db} }

// Jobs returns the statements on the jobs.
func (db *DB) Jobs() Jobs { return Jobs{db} }

// Queue returns the statements on what workers do next.
func (db *DB) Queue() Queue { return Queue{db} }

// Moderation returns the statements on reports.
func (db *DB) Moderation() Moderation { return Moderation{db} }

// Notifications returns the statements on notifications.
func (db *DB) Notifications() Notifications { return Notifications{db} }

// Webhooks returns the statements on webhooks and their deliveries.
func (db *DB) Webhooks() Webhooks { return Webhooks{db} }

// Watched returns the statements on versions.
func (db *DB) Watched() Watched { return Watched{db} }

// Operations returns the statements on the server itself.
func (db *DB) Operations() Operations { return Operations{db} }
