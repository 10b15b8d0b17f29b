package server

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"

	"portico/db"
	"portico/limit"
	"portico/model"
	"portico/storage/s3"
)

// maxUploadTTL is the maximum lifetime of presigned URLs in S3. It also applies to the data folder,
// so that a setting works with both.
const maxUploadTTL = 7 * 24 * time.Hour

// minConvertMemory is the memory that a conversion needs to start, in bytes.
const minConvertMemory = 64 << 20

// Validate returns an error for a setting that cannot work; the error starts with the
// variable. It also normalises Formats. Kong calls it.
//
// It opens no connection, and reads no file but the certificates of the database, so that a wrong setting is reported at once and by its
// name.
func (c *Config) Validate() error {
	checks := []func() error{c.checkAddresses, c.checkDatabase, c.checkNumbers, c.checkTexts, c.checkFormats, c.checkProxies, c.checkStorage, c.checkMail}
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
		if err := db.CheckAddress(address.value); err != nil {
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
	if _, err := normaliseURL(address); err != nil {
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
