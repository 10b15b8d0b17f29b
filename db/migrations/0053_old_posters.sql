-- Each server looks every 30 seconds for posters of an earlier version, until there are none: few of all
-- files, which were all read.
CREATE INDEX files_old_posters ON files (sequence) WHERE poster_key IS NOT NULL AND posters IS NULL;
