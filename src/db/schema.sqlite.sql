CREATE TABLE "accounts" ("id" text not null primary key,
  "name" text not null,
  "created_on" text not null);
CREATE TABLE "activity" ("scope_id" text not null,
  "dataset" text not null,
  "newest" text not null,
  constraint "activity_key" primary key ("scope_id",
  "dataset"));
CREATE TABLE "audit_logs" ("number" integer primary key autoincrement,
  "id" text not null unique,
  "account_id" text,
  "zone_id" text,
  "zone_name" text,
  "actor_id" text not null,
  "actor_email" text not null,
  "actor_ip" text not null,
  "actor_type" text not null,
  "credential_type" text not null,
  "credential_id" text not null,
  "credential_name" text not null,
  "interface" text not null,
  "action_type" text not null,
  "resource_type" text not null,
  "resource_id" text not null,
  "old_value" text not null,
  "new_value" text not null,
  "metadata" text not null,
  "happened_at" text not null);
CREATE INDEX "audit_account" on "audit_logs" ("account_id",
  "number");
CREATE INDEX "audit_actor" on "audit_logs" ("actor_id",
  "number");
CREATE TABLE "deliveries" ("id" integer primary key autoincrement,
  "job_id" integer not null references "jobs" ("id") on delete cascade,
  "window_id" integer not null references "windows" ("id") on delete cascade,
  "part" integer not null,
  "object_name" text not null,
  "rows" integer not null,
  "raw_bytes" integer not null,
  "bytes" integer not null,
  "sha256" text not null,
  "attempts" integer not null,
  "last_status" integer,
  "outcome" text not null,
  "reason" text,
  "first_attempt" text,
  "last_attempt" text,
  "destination" text);
CREATE INDEX "deliveries_job" on "deliveries" ("job_id",
  "id");
CREATE UNIQUE INDEX "deliveries_window" on "deliveries" ("window_id",
  "part");
CREATE TABLE "floors" ("node" text not null primary key,
  "floor" text not null,
  "until" text not null);
CREATE TABLE "jobs" ("id" integer primary key autoincrement,
  "account_id" text not null references "accounts" ("id") on delete cascade,
  "zone_id" text references "zones" ("id") on delete cascade,
  "scope_id" text not null,
  "dataset" text not null,
  "name" text not null,
  "kind" text not null,
  "enabled" integer not null,
  "conf_sealed" text not null,
  "destination_kind" text not null,
  "destination_identity" text not null,
  "signing_sealed" text,
  "logfetch_options" text,
  "output_options" text,
  "filter" text not null,
  "frequency" text,
  "max_upload_bytes" integer,
  "max_upload_records" integer,
  "max_upload_interval_seconds" integer,
  "options_version" integer not null,
  "last_complete" text,
  "last_error" text,
  "error_message" text,
  "created_on" text not null,
  "modified_on" text not null,
  "owed_from" text,
  "next_turn" text,
  "lease_holder" text,
  "lease_until" text,
  "lease_number" integer not null,
  "failures" integer not null,
  "failing_since" text);
CREATE UNIQUE INDEX "jobs_destination" on "jobs" ("destination_identity");
CREATE INDEX "jobs_of_zone" on "jobs" ("zone_id");
CREATE INDEX "jobs_scope" on "jobs" ("scope_id",
  "dataset");
CREATE INDEX "jobs_turn" on "jobs" ("next_turn");
CREATE TABLE "list_items" ("id" text not null primary key,
  "list_id" text not null references "lists" ("id") on delete cascade,
  "value" text not null,
  "content" text not null,
  "comment" text not null,
  "created_on" text not null,
  "modified_on" text not null);
CREATE UNIQUE INDEX "list_items_value" on "list_items" ("list_id",
  "value");
CREATE TABLE "lists" ("id" text not null primary key,
  "account_id" text not null references "accounts" ("id") on delete cascade,
  "name" text not null,
  "kind" text not null,
  "description" text not null,
  "version" integer not null,
  "created_on" text not null,
  "modified_on" text not null);
CREATE UNIQUE INDEX "lists_name" on "lists" ("account_id",
  "name");
CREATE TABLE "members" ("id" text not null primary key,
  "account_id" text not null references "accounts" ("id") on delete cascade,
  "user_id" text not null references "users" ("id") on delete cascade,
  "role" text not null,
  "created_on" text not null);
CREATE INDEX "members_of_user" on "members" ("user_id");
CREATE UNIQUE INDEX "members_user" on "members" ("account_id",
  "user_id");
CREATE TABLE "ruleset_executions" ("executor_id" text not null references "rulesets" ("id") on delete cascade,
  "executed_id" text not null references "rulesets" ("id"),
  constraint "ruleset_executions_key" primary key ("executor_id",
  "executed_id"));
CREATE INDEX "ruleset_executed" on "ruleset_executions" ("executed_id");
CREATE TABLE "ruleset_versions" ("ruleset_id" text not null references "rulesets" ("id") on delete cascade,
  "version" integer not null,
  "description" text not null,
  "rules" text not null,
  "last_updated" text not null,
  constraint "ruleset_versions_key" primary key ("ruleset_id",
  "version"));
CREATE TABLE "rulesets" ("id" text not null primary key,
  "account_id" text references "accounts" ("id") on delete cascade,
  "zone_id" text references "zones" ("id") on delete cascade,
  "kind" text not null,
  "phase" text not null,
  "name" text not null,
  "current_version" integer not null,
  "last_version" integer not null,
  "created_on" text not null);
CREATE UNIQUE INDEX "rulesets_account_entry_point" on "rulesets" ("account_id",
  "phase") where "kind" = 'root';
CREATE INDEX "rulesets_by_kind" on "rulesets" ("account_id",
  "kind");
CREATE INDEX "rulesets_of_account" on "rulesets" ("account_id",
  "created_on");
CREATE INDEX "rulesets_of_zone" on "rulesets" ("zone_id");
CREATE UNIQUE INDEX "rulesets_zone_entry_point" on "rulesets" ("zone_id",
  "phase") where "kind" = 'zone';
CREATE TABLE "service_facts" ("name" text not null primary key,
  "value" text not null);
CREATE TABLE "tokens" ("id" text not null primary key,
  "account_id" text not null references "accounts" ("id") on delete cascade,
  "user_id" text not null references "users" ("id") on delete cascade,
  "name" text not null,
  "token_hash" text not null unique,
  "permissions" text not null,
  "zones" text,
  "created_on" text not null,
  "expires_on" text);
CREATE INDEX "tokens_account" on "tokens" ("account_id");
CREATE TABLE "users" ("id" text not null primary key,
  "email" text not null unique,
  "key_hash" text not null,
  "is_super" integer not null,
  "created_on" text not null);
CREATE TABLE "windows" ("id" integer primary key autoincrement,
  "job_id" integer not null references "jobs" ("id") on delete cascade,
  "purpose" text not null,
  "state" text not null,
  "from_time" text not null,
  "to_time" text not null,
  "options" text not null,
  "options_version" integer not null,
  "rows" integer,
  "attempts" integer not null,
  "reason" text,
  "begun_at" text not null,
  "ended_at" text);
CREATE INDEX "windows_ended" on "windows" ("ended_at");
CREATE INDEX "windows_job" on "windows" ("job_id",
  "from_time");
CREATE INDEX "windows_open" on "windows" ("state",
  "job_id");
CREATE TABLE "zones" ("id" text not null primary key,
  "account_id" text not null references "accounts" ("id"),
  "name" text not null,
  "log_retention" integer default 1 not null,
  "created_on" text not null,
  "modified_on" text not null,
  "edge_failure" text default 'open' not null);
CREATE INDEX "zones_by_name" on "zones" ("name");
CREATE UNIQUE INDEX "zones_name" on "zones" ("account_id",
  "name");
