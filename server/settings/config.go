// Package settings has the settings of an operator: their names, defaults and help, their checks, and
// what follows from them alone, such as the secret, the sender of mail and the logger.
package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"portico/db/dial"
	"portico/limit"
	"portico/model"
	"portico/storage/s3"
)

// Config contains the settings of an operator. Kong reads them from PORTICO_ variables and flags,
// and then calls Validate.
//
// Sizes are in bytes and times are durations such as 15m. The tag "for" lists the commands that
// use the setting: "user" stands for all commands below it, and "user.add" for one of them.
//
// A new setting needs its line here and its check in Validate. Package cmd/portico/commandline makes the help
// of the commands from these tags.
type Config struct {
	Addr               string        `env:"PORTICO_ADDR" default:"127.0.0.1:8080" for:"serve health" help:"Listen address."`
	MetricsAddr        string        `env:"PORTICO_METRICS_ADDR" placeholder:"HOST:PORT" for:"serve worker" help:"Second listen address, for /metrics and probes only. A worker listens on no other address."`
	BaseURL            string        `env:"PORTICO_BASE_URL" placeholder:"http://ADDR" for:"serve worker doctor" help:"Public address, with which links, presigned URLs and the OAuth issuer start."`
	DataDir            string        `env:"PORTICO_DATA_DIR" default:"./data" for:"serve worker migrate user space job audit export backup restore doctor" help:"Folder of the private Postgres, the files and the server's secret."`
	DatabaseURL        string        `env:"PORTICO_DATABASE_URL" placeholder:"postgres://..." for:"serve worker migrate user space job audit export backup restore doctor" help:"Address of the database. Empty: a private Postgres in the data folder."`
	MigrateDatabaseURL string        `env:"PORTICO_MIGRATE_DATABASE_URL" placeholder:"postgres://..." for:"serve worker migrate user space job audit export backup restore doctor" help:"Address of the same database with the role that owns the schema, for migrations. Empty: PORTICO_DATABASE_URL."`
	MigrateBackup      Switch        `env:"PORTICO_MIGRATE_BACKUP" default:"on" placeholder:"on|off" for:"serve worker migrate" help:"Whether a private Postgres is backed up into the data folder before a new version migrates it."`
	StorageURL         string        `env:"PORTICO_STORAGE_URL" placeholder:"s3://BUCKET?endpoint=..." for:"serve worker export backup restore doctor" help:"Object storage. Empty: files in the data folder."`
	FilesURL           string        `env:"PORTICO_FILES_URL" placeholder:"URL" for:"serve worker doctor" help:"Base of file addresses, on another origin than the base URL. With a bucket: base of the bucket's public addresses, such as a CDN."`
	FilesAccess        FilesAccess   `env:"PORTICO_FILES_ACCESS" default:"public" placeholder:"public|protected" for:"serve worker doctor" help:"Who may read files: everyone, or only visitors of a readable space that shows the file, and holders of a signed address."`
	RedisURL           string        `env:"PORTICO_REDIS_URL" placeholder:"redis://..." for:"serve" help:"Redis, through which processes share rate limits and the visitors of spaces. Empty: each process has its own."`
	TrustedProxies     string        `env:"PORTICO_TRUSTED_PROXIES" placeholder:"CIDR,..." for:"serve doctor" help:"Proxies whose X-Forwarded-For is trusted."`
	Workers            int           `env:"PORTICO_WORKERS" default:"${cores}" for:"serve worker convert" help:"Maximum number of concurrent jobs in this process, 0 for none; for convert, of processors that it uses."`
	ConvertMemory      Size          `env:"PORTICO_CONVERT_MEMORY" default:"2GiB" for:"serve worker" help:"Memory limit of each conversion, which runs in its own process."`
	MaxFileSize        Size          `env:"PORTICO_MAX_FILE_SIZE" default:"20GB" for:"serve worker" help:"Maximum size of an upload."`
	DefaultQuota       Size          `env:"PORTICO_DEFAULT_QUOTA" default:"10GB" for:"serve user.add" help:"Storage quota of new accounts."`
	AsyncThreshold     Size          `env:"PORTICO_ASYNC_THRESHOLD" default:"1.5GiB" for:"serve" help:"Size above which uploads are confirmed by a job."`
	Formats            []string      `env:"PORTICO_FORMATS" default:"${formats}" for:"serve" help:"Accepted file name extensions."`
	UploadTTL          time.Duration `env:"PORTICO_UPLOAD_TTL" default:"15m" for:"serve worker" help:"Lifetime of presigned URLs."`
	// JobTTL and JobHistory are how long a job is shown, each by other doors. It is stored for the
	// longer of the two (startWorker).
	JobTTL           time.Duration `env:"PORTICO_JOB_TTL" default:"1h" for:"serve worker" help:"How long REST, MCP and subscriptions show a job after its end."`
	JobHistory       Period        `env:"PORTICO_JOB_HISTORY" default:"30d" for:"serve worker" help:"How long the console and GraphQL show a job after its end."`
	AuditRetention   Period        `env:"PORTICO_AUDIT_RETENTION" default:"90d" for:"serve worker" help:"How long events of the audit trail are kept."`
	HistoryAge       Period        `env:"PORTICO_HISTORY_AGE" default:"90d" for:"serve worker" help:"How long the versions of a space are kept."`
	HistoryVersions  int           `env:"PORTICO_HISTORY_VERSIONS" default:"200" for:"serve worker" help:"Maximum number of versions of a space; 0 turns the history off."`
	WebhookNetworks  string        `env:"PORTICO_WEBHOOK_NETWORKS" placeholder:"CIDR,..." for:"serve worker" help:"Networks that webhooks may reach although they are not public."`
	RateLimits       RateLimits    `env:"PORTICO_RATE_LIMITS" default:"on" placeholder:"on|off|SCOPE=N,..." for:"serve" help:"Whether rate limits apply, or the limits of single scopes for each minute, such as upload=60. Turn them off for load tests only."`
	Plan             Plan          `env:"PORTICO_PLAN" placeholder:"free|pro" for:"serve user.add" help:"Plan of new accounts. Without it, who signs up in a browser has pro, and portico user add gives free."`
	Signup           Switch        `env:"PORTICO_SIGNUP" default:"on" placeholder:"on|off" for:"serve" help:"Whether people can create accounts themselves."`
	BrandName        string        `env:"PORTICO_BRAND_NAME" placeholder:"NAME" for:"serve worker" help:"Name of the server on pages, in mail and in previews. Empty: Portico."`
	BrandLogo        string        `env:"PORTICO_BRAND_LOGO" placeholder:"FILE" for:"serve" help:"Logo of the server: a PNG or JPEG with at most 2048 pixels on each side and 1 MiB. Empty: the mark of Portico."`
	BrandColour      BrandColour   `env:"PORTICO_BRAND_COLOUR" placeholder:"#RRGGBB" for:"serve" help:"Colour of links and buttons, with a contrast of at least 4.5 on the pages. Empty: the blue of Portico."`
	BrandTitle       string        `env:"PORTICO_BRAND_TITLE" placeholder:"TEXT" for:"serve" help:"Title of the start page. Empty: one in each language."`
	BrandText        string        `env:"PORTICO_BRAND_TEXT" placeholder:"TEXT" for:"serve" help:"Text below the title of the start page. Empty: one in each language."`
	ImprintURL       string        `env:"PORTICO_IMPRINT_URL" placeholder:"URL" for:"serve" help:"Imprint of the operator, to which all pages link."`
	PrivacyURL       string        `env:"PORTICO_PRIVACY_URL" placeholder:"URL" for:"serve" help:"Privacy notice of the operator, to which all pages link beside /privacy."`
	OIDCIssuer       string        `env:"PORTICO_OIDC_ISSUER" placeholder:"URL" for:"serve" help:"OpenID Connect issuer for external sign-in."`
	OIDCClientID     string        `env:"PORTICO_OIDC_CLIENT_ID" placeholder:"ID" for:"serve" help:"Client id at the OpenID Connect issuer."`
	OIDCClientSecret string        `name:"oidc-secret" env:"PORTICO_OIDC_CLIENT_SECRET" placeholder:"SECRET" for:"serve" help:"Client secret at the OpenID Connect issuer."`
	SMTPURL          string        `name:"smtp-url" env:"PORTICO_SMTP_URL" placeholder:"smtp://USER:PASSWORD@HOST:587" for:"serve worker" help:"Mail server, for links that confirm addresses and reset passwords: smtps:// for TLS from the start, smtp:// for STARTTLS. Empty: the server sends no mail."`
	SMTPFrom         string        `name:"smtp-from" env:"PORTICO_SMTP_FROM" placeholder:"ADDRESS" for:"serve worker" help:"Sender of mail, such as Portico <portico@example.com>."`
	SMTPHelo         string        `name:"smtp-helo" env:"PORTICO_SMTP_HELO" placeholder:"NAME" for:"serve worker" help:"Name with which the server greets the mail server. Empty: the host of the base URL."`
	Secret           string        `env:"PORTICO_SECRET" placeholder:"SECRET" for:"serve worker migrate user space job audit export backup restore doctor" help:"Secret that encrypts API keys and signs upload URLs. Empty: generated on the first start, and stored in the data folder."`
	LogLevel         Level         `env:"PORTICO_LOG_LEVEL" default:"info" placeholder:"debug|info|warn|error" for:"serve worker migrate user space job audit export backup restore doctor" help:"Minimum level of the log."`
	LogFormat        string        `env:"PORTICO_LOG_FORMAT" placeholder:"text|json" for:"serve worker migrate user space job audit export backup restore doctor" help:"Format of the log. Empty: text on a terminal, otherwise json."`
	Introspection    Switch        `env:"PORTICO_INTROSPECTION" default:"on" placeholder:"on|off" for:"serve" help:"Whether GraphQL clients can read the schema."`

	OIDCTrustEmail  Switch          `name:"oidc-trust-email" env:"PORTICO_OIDC_TRUST_EMAIL" default:"off" placeholder:"on|off" for:"serve" help:"Whether an address counts as verified if the OpenID Connect issuer does not say. Only for an issuer that gives nobody an address that is not theirs."`
	ClientDocuments ClientDocuments `env:"PORTICO_CLIENT_DOCUMENTS" default:"auto" placeholder:"auto|on|off" for:"serve" help:"Whether apps may identify themselves by the address of a document, which the server reads. With auto, it offers this once it has reached the internet."`
}

// The values of LogFormat.
const (
	FormatText = "text"
	FormatJSON = "json"
)

// Defaults returns the variables in the tags of Config: the defaults that the program computes.
func Defaults() map[string]string {
	return map[string]string{
		// Not NumCPU, because a container may be limited to fewer cores.
		"cores":   strconv.Itoa(runtime.GOMAXPROCS(0)),
		"formats": strings.Join(model.DefaultFormats, ","),
	}
}

// HistoryLimits returns the limits of the versions of a space.
func (c *Config) HistoryLimits() model.HistoryLimits {
	return model.HistoryLimits{Versions: c.HistoryVersions, Age: time.Duration(c.HistoryAge)}
}

// maxUploadTTL is the maximum lifetime of presigned URLs in S3. It also applies to the data folder,
// so that a setting works with both.
const maxUploadTTL = 7 * 24 * time.Hour

// minConvertMemory is the memory that a conversion needs to start, in bytes.
const minConvertMemory = 64 << 20

// Validate returns an error for a setting that cannot work; the error starts with the
// variable. It also normalises Formats. Kong calls it.
//
// It opens no connection, and reads no file but the certificates of the database, so that a wrong
// setting is reported at once and by its name.
func (c *Config) Validate() error {
	checks := []func() error{c.checkAddresses, c.checkDatabase, c.checkNumbers, c.checkTexts, c.checkFormats, c.checkProxies, c.checkStorage, c.checkMail, c.checkBrand}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkAddresses checks the form of addresses. It connects to none of them: a dependency may
// start later than the server.
func (c *Config) checkAddresses() error {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return fmt.Errorf("PORTICO_ADDR: %q is not HOST:PORT", c.Addr)
	}
	if _, _, err := net.SplitHostPort(c.MetricsAddr); err != nil && c.MetricsAddr != "" {
		return fmt.Errorf("PORTICO_METRICS_ADDR: %q is not HOST:PORT", c.MetricsAddr)
	}
	if err := checkURL("PORTICO_BASE_URL", c.BaseURL); err != nil {
		return err
	}
	// Discovery documents are at the root of the host (RFC 8414 section 3).
	if u, err := url.Parse(c.BaseURL); err == nil && strings.Trim(u.Path, "/") != "" {
		return fmt.Errorf("PORTICO_BASE_URL: %q must not have a path", c.BaseURL)
	}
	if err := checkURL("PORTICO_OIDC_ISSUER", c.OIDCIssuer); err != nil {
		return err
	}
	if c.OIDCIssuer != "" && c.OIDCClientID == "" {
		return errors.New("PORTICO_OIDC_CLIENT_ID: must be set with PORTICO_OIDC_ISSUER")
	}
	return checkURL("PORTICO_FILES_URL", c.FilesURL)
}

// checkDatabase checks the form of the addresses of the database.
func (c *Config) checkDatabase() error {
	if c.MigrateDatabaseURL != "" && c.DatabaseURL == "" {
		return errors.New("PORTICO_MIGRATE_DATABASE_URL: needs PORTICO_DATABASE_URL, which names the role that gets the rights")
	}
	for _, address := range []struct{ variable, value string }{
		{"PORTICO_DATABASE_URL", c.DatabaseURL}, {"PORTICO_MIGRATE_DATABASE_URL", c.MigrateDatabaseURL},
	} {
		if address.value == "" {
			continue
		}
		if _, err := dial.Parse(address.value); err != nil {
			return fmt.Errorf("%s: %w", address.variable, err)
		}
	}
	return nil
}

// checkURL returns an error unless the address is "" or a base to which paths can be appended.
func checkURL(variable, address string) error {
	if address == "" {
		return nil
	}
	if _, err := NormaliseURL(address); err != nil {
		return fmt.Errorf("%s: %q %w", variable, address, err)
	}
	return nil
}

// checkNumbers checks the ranges of numbers. More than a thousand workers would exhaust the
// connections of any Postgres.
func (c *Config) checkNumbers() error {
	switch {
	case c.Workers < 0 || c.Workers > 1000:
		return fmt.Errorf("PORTICO_WORKERS: %d is not between 0 and 1000", c.Workers)
	case c.ConvertMemory < minConvertMemory:
		return errors.New("PORTICO_CONVERT_MEMORY: must be at least 64MiB")
	case c.MaxFileSize < 1:
		return errors.New("PORTICO_MAX_FILE_SIZE: must be at least 1 byte")
	case c.UploadTTL < time.Second || c.UploadTTL > maxUploadTTL:
		return fmt.Errorf("PORTICO_UPLOAD_TTL: %v is not between 1s and %v", c.UploadTTL, maxUploadTTL)
	case time.Duration(c.AuditRetention) < 24*time.Hour:
		return errors.New("PORTICO_AUDIT_RETENTION: must be at least 1d")
	case time.Duration(c.HistoryAge) < time.Hour:
		return errors.New("PORTICO_HISTORY_AGE: must be at least 1h")
	case c.HistoryVersions < 0 || c.HistoryVersions > 10_000:
		return fmt.Errorf("PORTICO_HISTORY_VERSIONS: %d is not between 0 and 10000", c.HistoryVersions)
	case c.JobTTL < time.Second:
		return fmt.Errorf("PORTICO_JOB_TTL: %v is less than 1s", c.JobTTL)
	}
	return nil
}

// checkTexts checks the settings that are texts. Its errors contain no secret.
func (c *Config) checkTexts() error {
	if _, err := limit.ParseNetworks(c.WebhookNetworks); err != nil {
		return fmt.Errorf("PORTICO_WEBHOOK_NETWORKS: %w", err)
	}
	switch {
	case c.Secret != "" && len(c.Secret) < model.MinSecretBytes:
		return fmt.Errorf("PORTICO_SECRET: must have at least %d characters", model.MinSecretBytes)
	case c.LogFormat != "" && c.LogFormat != FormatText && c.LogFormat != FormatJSON:
		return fmt.Errorf("PORTICO_LOG_FORMAT: %q is not text or json", c.LogFormat)
	}
	return nil
}

// extensionPattern matches a file name extension without its dot.
var extensionPattern = regexp.MustCompile(`^[a-z0-9]{1,20}$`)

// checkFormats normalises Formats to lower case without dots, and returns an error for a text that
// is not an extension.
func (c *Config) checkFormats() error {
	var formats []string
	for _, format := range c.Formats {
		format = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(format), "."))
		switch {
		case format == "": // a comma at the end
		case !extensionPattern.MatchString(format):
			return fmt.Errorf("PORTICO_FORMATS: %q is not a file name extension", format)
		default:
			formats = append(formats, format)
		}
	}
	if len(formats) == 0 {
		return errors.New("PORTICO_FORMATS: must name at least one extension")
	}
	c.Formats = formats
	return nil
}

// checkProxies checks the proxies, even if rate limits are off, because the access log uses them
// too.
func (c *Config) checkProxies() error {
	if _, err := limit.ParseNetworks(c.TrustedProxies); err != nil {
		return fmt.Errorf("PORTICO_TRUSTED_PROXIES: %w", err)
	}
	return nil
}

// checkStorage names a scheme, a bucket or a parameter of the storage URL that is wrong. It
// connects to nothing.
func (c *Config) checkStorage() error {
	if c.StorageURL == "" {
		return nil
	}
	if _, err := s3.ParseLocation(c.StorageURL); err != nil {
		return fmt.Errorf("PORTICO_STORAGE_URL: %w", err)
	}
	return nil
}
