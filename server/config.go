package server

import (
	"runtime"
	"strconv"
	"strings"
	"time"

	"portico/model"
)

// Config is what an operator sets, by PORTICO_ variables or flags. Kong reads
// it; Validate holds what the types alone do not.
//
// Sizes are in bytes and times are durations such as 15m.
type Config struct {
	Addr           string        `env:"PORTICO_ADDR" default:"127.0.0.1:8080" help:"Listen address."`
	MetricsAddr    string        `env:"PORTICO_METRICS_ADDR" placeholder:"HOST:PORT" help:"A second listen address, for /metrics and probes alone; a worker's only one."`
	BaseURL        string        `env:"PORTICO_BASE_URL" placeholder:"http://ADDR" help:"Public address: links, presigned URLs, OAuth issuer."`
	DataDir        string        `env:"PORTICO_DATA_DIR" default:"./data" help:"Folder of the private Postgres and of the files."`
	DatabaseURL    string        `env:"PORTICO_DATABASE_URL" placeholder:"postgres://..." help:"Database; a private Postgres in the data folder when empty."`
	MigrateURL     string        `name:"migrate-database-url" env:"PORTICO_MIGRATE_DATABASE_URL" placeholder:"postgres://..." help:"The same database as the role that owns its schema, for migrations; PORTICO_DATABASE_URL when empty."`
	StorageURL     string        `env:"PORTICO_STORAGE_URL" placeholder:"s3://BUCKET?endpoint=..." help:"Object storage; files in the data folder when empty."`
	FilesURL       string        `env:"PORTICO_FILES_URL" placeholder:"URL" help:"Base of file addresses, of another origin than BASE_URL's; with a bucket, of public ones (a CDN)."`
	FilesAccess    FilesAccess   `env:"PORTICO_FILES_ACCESS" default:"public" placeholder:"public|protected" help:"protected: files are read while a readable space shows them, or by signed addresses."`
	RedisURL       string        `env:"PORTICO_REDIS_URL" placeholder:"redis://..." help:"Shared rate-limit counters; counted in memory when empty."`
	TrustedProxies string        `env:"PORTICO_TRUSTED_PROXIES" placeholder:"CIDR,..." help:"Proxies whose X-Forwarded-For is believed."`
	Workers        int           `env:"PORTICO_WORKERS" default:"${cores}" help:"Jobs at a time in this process; 0 for none."`
	ConvertMemory  Size          `env:"PORTICO_CONVERT_MEMORY" default:"2GiB" help:"Memory of each conversion, which is a process of its own."`
	MaxFileSize    Size          `env:"PORTICO_MAX_FILE_SIZE" default:"20GB" help:"Largest upload."`
	DefaultQuota   Size          `env:"PORTICO_DEFAULT_QUOTA" default:"10GB" help:"Storage of a new account."`
	AsyncThreshold Size          `env:"PORTICO_ASYNC_THRESHOLD" default:"1.5GiB" help:"Size over which a file is confirmed by a job."`
	Formats        []string      `env:"PORTICO_FORMATS" default:"${formats}" help:"Accepted file name extensions."`
	UploadTTL      time.Duration `env:"PORTICO_UPLOAD_TTL" default:"15m" help:"How long a presigned URL works."`
	JobTTL         time.Duration `env:"PORTICO_JOB_TTL" default:"1h" help:"How long a job is remembered after its end."`
	AuditRetention Period        `env:"PORTICO_AUDIT_RETENTION" default:"90d" help:"How long the audit trail keeps an event."`
	RateLimits     Switch        `env:"PORTICO_RATE_LIMITS" default:"on" placeholder:"on|off" help:"off for load tests."`
	Signup         Switch        `env:"PORTICO_SIGNUP" default:"on" placeholder:"on|off" help:"Self-service accounts."`
	OIDCIssuer     string        `env:"PORTICO_OIDC_ISSUER" placeholder:"URL" help:"External sign-in."`
	OIDCClientID   string        `env:"PORTICO_OIDC_CLIENT_ID" placeholder:"ID" help:"External sign-in: our client id."`
	OIDCSecret     string        `env:"PORTICO_OIDC_CLIENT_SECRET" placeholder:"SECRET" help:"External sign-in: our client secret."`
	Secret         string        `env:"PORTICO_SECRET" placeholder:"SECRET" help:"Seals keys and cookies; made on the first start when empty."`
	LogLevel       Level         `env:"PORTICO_LOG_LEVEL" default:"info" placeholder:"debug|info|warn|error" help:"Least level that is logged."`
	LogFormat      string        `env:"PORTICO_LOG_FORMAT" placeholder:"text|json" help:"Form of log lines; text on a terminal, else json."`
	Introspection  Switch        `env:"PORTICO_INTROSPECTION" default:"on" placeholder:"on|off" help:"Whether GraphQL tells its schema."`
}

// The forms of LogFormat.
const (
	FormatText = "text"
	FormatJSON = "json"
)

// Defaults returns the values that the tags of Config cannot hold.
func Defaults() map[string]string {
	return map[string]string{
		// Not NumCPU: a container may be given less of the machine.
		"cores":   strconv.Itoa(runtime.GOMAXPROCS(0)),
		"formats": strings.Join(model.DefaultFormats, ","),
	}
}
