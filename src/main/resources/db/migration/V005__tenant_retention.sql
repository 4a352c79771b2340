-- How long a tenant's activities are kept. Thirty days at least: a shorter one would expire a month that is still open.
ALTER TABLE tenants ADD COLUMN retention_days integer NOT NULL DEFAULT 365
    CONSTRAINT tenants_retention_days_check CHECK (retention_days BETWEEN 30 AND 36500);
