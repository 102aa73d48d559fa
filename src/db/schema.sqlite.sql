CREATE TABLE "accounts" ("id" text not null primary key,
  "name" text not null,
  "created_on" text not null);
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
CREATE TABLE "members" ("id" text not null primary key,
  "account_id" text not null references "accounts" ("id") on delete cascade,
  "user_id" text not null references "users" ("id") on delete cascade,
  "role" text not null,
  "created_on" text not null);
CREATE INDEX "members_of_user" on "members" ("user_id");
CREATE UNIQUE INDEX "members_user" on "members" ("account_id",
  "user_id");
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
CREATE TABLE "zones" ("id" text not null primary key,
  "account_id" text not null references "accounts" ("id"),
  "name" text not null,
  "created_on" text not null,
  "modified_on" text not null);
CREATE UNIQUE INDEX "zones_name" on "zones" ("account_id",
  "name");
