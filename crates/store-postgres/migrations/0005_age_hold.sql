-- Seconds of running for which nothing is deleted by age yet, because the clock may be wrong; 0 for none.
ALTER TABLE meta ADD COLUMN age_hold_secs bigint NOT NULL DEFAULT 0;
