-- Deletes an account, with the rows that refer to it. The application has no right to delete
-- from the table of accounts: one statement could delete them all.
CREATE FUNCTION delete_account(account text) RETURNS void
LANGUAGE sql SECURITY DEFINER
AS $$
    DELETE FROM users WHERE id = account
$$;

-- As for purge_audit_events: no name is looked for in a schema of the caller's.
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION delete_account(text) SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE ALL ON FUNCTION delete_account(text) FROM PUBLIC;
