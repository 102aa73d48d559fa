accounts.id text collate C not null
accounts.name text collate C not null
accounts.created_on text collate C not null
activity.scope_id text collate C not null
activity.dataset text collate C not null
activity.newest text collate C not null
audit_logs.number bigint not null identity
audit_logs.id text collate C not null
audit_logs.account_id text collate C
audit_logs.zone_id text collate C
audit_logs.zone_name text collate C
audit_logs.actor_id text collate C not null
audit_logs.actor_email text collate C not null
audit_logs.actor_ip text collate C not null
audit_logs.actor_type text collate C not null
audit_logs.credential_type text collate C not null
audit_logs.credential_id text collate C not null
audit_logs.credential_name text collate C not null
audit_logs.interface text collate C not null
audit_logs.action_type text collate C not null
audit_logs.resource_type text collate C not null
audit_logs.resource_id text collate C not null
audit_logs.old_value text collate C not null
audit_logs.new_value text collate C not null
audit_logs.metadata text collate C not null
audit_logs.happened_at text collate C not null
deliveries.id bigint not null identity
deliveries.job_id bigint not null
deliveries.window_id bigint not null
deliveries.part bigint not null
deliveries.object_name text collate C not null
deliveries.rows bigint not null
deliveries.raw_bytes bigint not null
deliveries.bytes bigint not null
deliveries.sha256 text collate C not null
deliveries.attempts bigint not null
deliveries.last_status bigint
deliveries.outcome text collate C not null
deliveries.reason text collate C
deliveries.first_attempt text collate C
deliveries.last_attempt text collate C
deliveries.destination text
floors.node text collate C not null
floors.floor text collate C not null
floors.until text collate C not null
jobs.id bigint not null identity
jobs.account_id text collate C not null
jobs.zone_id text collate C
jobs.scope_id text collate C not null
jobs.dataset text collate C not null
jobs.name text collate C not null
jobs.kind text collate C not null
jobs.enabled bigint not null
jobs.conf_sealed text collate C not null
jobs.destination_kind text collate C not null
jobs.destination_identity text collate C not null
jobs.signing_sealed text collate C
jobs.logfetch_options text collate C
jobs.output_options text collate C
jobs.filter text collate C not null
jobs.frequency text collate C
jobs.max_upload_bytes bigint
jobs.max_upload_records bigint
jobs.max_upload_interval_seconds bigint
jobs.options_version bigint not null
jobs.last_complete text collate C
jobs.last_error text collate C
jobs.error_message text collate C
jobs.created_on text collate C not null
jobs.modified_on text collate C not null
jobs.owed_from text collate C
jobs.next_turn text collate C
jobs.lease_holder text collate C
jobs.lease_until text collate C
jobs.lease_number bigint not null
jobs.failures bigint not null
jobs.failing_since text collate C
list_items.id text collate C not null
list_items.list_id text collate C not null
list_items.value text collate C not null
list_items.content text collate C not null
list_items.comment text collate C not null
list_items.created_on text collate C not null
list_items.modified_on text collate C not null
lists.id text collate C not null
lists.account_id text collate C not null
lists.name text collate C not null
lists.kind text collate C not null
lists.description text collate C not null
lists.version bigint not null
lists.created_on text collate C not null
lists.modified_on text collate C not null
members.id text collate C not null
members.account_id text collate C not null
members.user_id text collate C not null
members.role text collate C not null
members.created_on text collate C not null
ruleset_executions.executor_id text collate C not null
ruleset_executions.executed_id text collate C not null
ruleset_versions.ruleset_id text collate C not null
ruleset_versions.version bigint not null
ruleset_versions.description text collate C not null
ruleset_versions.rules text collate C not null
ruleset_versions.last_updated text collate C not null
rulesets.id text collate C not null
rulesets.account_id text collate C
rulesets.zone_id text collate C
rulesets.kind text collate C not null
rulesets.phase text collate C not null
rulesets.name text collate C not null
rulesets.current_version bigint not null
rulesets.last_version bigint not null
rulesets.created_on text collate C not null
service_facts.name text collate C not null
service_facts.value text collate C not null
tokens.id text collate C not null
tokens.account_id text collate C not null
tokens.user_id text collate C not null
tokens.name text collate C not null
tokens.token_hash text collate C not null
tokens.permissions text collate C not null
tokens.zones text collate C
tokens.created_on text collate C not null
tokens.expires_on text collate C
users.id text collate C not null
users.email text collate C not null
users.key_hash text collate C not null
users.is_super bigint not null
users.created_on text collate C not null
windows.id bigint not null identity
windows.job_id bigint not null
windows.purpose text collate C not null
windows.state text collate C not null
windows.from_time text collate C not null
windows.to_time text collate C not null
windows.options text collate C not null
windows.options_version bigint not null
windows.rows bigint
windows.attempts bigint not null
windows.reason text collate C
windows.begun_at text collate C not null
windows.ended_at text collate C
zones.id text collate C not null
zones.account_id text collate C not null
zones.name text collate C not null
zones.log_retention bigint not null
zones.created_on text collate C not null
zones.modified_on text collate C not null
zones.edge_failure text collate C not null
accounts: PRIMARY KEY (id)
activity: PRIMARY KEY (scope_id, dataset)
audit_logs: UNIQUE (id)
audit_logs: PRIMARY KEY (number)
deliveries: FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE
deliveries: PRIMARY KEY (id)
deliveries: FOREIGN KEY (window_id) REFERENCES windows(id) ON DELETE CASCADE
floors: PRIMARY KEY (node)
jobs: FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
jobs: PRIMARY KEY (id)
jobs: FOREIGN KEY (zone_id) REFERENCES zones(id) ON DELETE CASCADE
list_items: FOREIGN KEY (list_id) REFERENCES lists(id) ON DELETE CASCADE
list_items: PRIMARY KEY (id)
lists: FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
lists: PRIMARY KEY (id)
members: FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
members: PRIMARY KEY (id)
members: FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
ruleset_executions: FOREIGN KEY (executed_id) REFERENCES rulesets(id)
ruleset_executions: FOREIGN KEY (executor_id) REFERENCES rulesets(id) ON DELETE CASCADE
ruleset_executions: PRIMARY KEY (executor_id, executed_id)
ruleset_versions: PRIMARY KEY (ruleset_id, version)
ruleset_versions: FOREIGN KEY (ruleset_id) REFERENCES rulesets(id) ON DELETE CASCADE
rulesets: FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
rulesets: PRIMARY KEY (id)
rulesets: FOREIGN KEY (zone_id) REFERENCES zones(id) ON DELETE CASCADE
service_facts: PRIMARY KEY (name)
tokens: FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
tokens: PRIMARY KEY (id)
tokens: UNIQUE (token_hash)
tokens: FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
users: UNIQUE (email)
users: PRIMARY KEY (id)
windows: FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE
windows: PRIMARY KEY (id)
zones: FOREIGN KEY (account_id) REFERENCES accounts(id)
zones: PRIMARY KEY (id)
CREATE UNIQUE INDEX accounts_pkey ON public.accounts USING btree (id)
CREATE UNIQUE INDEX activity_key ON public.activity USING btree (scope_id, dataset)
CREATE INDEX audit_account ON public.audit_logs USING btree (account_id, number)
CREATE INDEX audit_actor ON public.audit_logs USING btree (actor_id, number)
CREATE UNIQUE INDEX audit_logs_id_key ON public.audit_logs USING btree (id)
CREATE UNIQUE INDEX audit_logs_pkey ON public.audit_logs USING btree (number)
CREATE INDEX deliveries_job ON public.deliveries USING btree (job_id, id)
CREATE UNIQUE INDEX deliveries_pkey ON public.deliveries USING btree (id)
CREATE UNIQUE INDEX deliveries_window ON public.deliveries USING btree (window_id, part)
CREATE UNIQUE INDEX floors_pkey ON public.floors USING btree (node)
CREATE UNIQUE INDEX jobs_destination ON public.jobs USING btree (destination_identity)
CREATE INDEX jobs_of_zone ON public.jobs USING btree (zone_id)
CREATE UNIQUE INDEX jobs_pkey ON public.jobs USING btree (id)
CREATE INDEX jobs_scope ON public.jobs USING btree (scope_id, dataset)
CREATE INDEX jobs_turn ON public.jobs USING btree (next_turn)
CREATE UNIQUE INDEX list_items_pkey ON public.list_items USING btree (id)
CREATE UNIQUE INDEX list_items_value ON public.list_items USING btree (list_id, value)
CREATE UNIQUE INDEX lists_name ON public.lists USING btree (account_id, name)
CREATE UNIQUE INDEX lists_pkey ON public.lists USING btree (id)
CREATE INDEX members_of_user ON public.members USING btree (user_id)
CREATE UNIQUE INDEX members_pkey ON public.members USING btree (id)
CREATE UNIQUE INDEX members_user ON public.members USING btree (account_id, user_id)
CREATE INDEX ruleset_executed ON public.ruleset_executions USING btree (executed_id)
CREATE UNIQUE INDEX ruleset_executions_key ON public.ruleset_executions USING btree (executor_id, executed_id)
CREATE UNIQUE INDEX ruleset_versions_key ON public.ruleset_versions USING btree (ruleset_id, version)
CREATE UNIQUE INDEX rulesets_account_entry_point ON public.rulesets USING btree (account_id, phase) WHERE (kind = 'root'::text)
CREATE INDEX rulesets_by_kind ON public.rulesets USING btree (account_id, kind)
CREATE INDEX rulesets_of_account ON public.rulesets USING btree (account_id, created_on)
CREATE INDEX rulesets_of_zone ON public.rulesets USING btree (zone_id)
CREATE UNIQUE INDEX rulesets_pkey ON public.rulesets USING btree (id)
CREATE UNIQUE INDEX rulesets_zone_entry_point ON public.rulesets USING btree (zone_id, phase) WHERE (kind = 'zone'::text)
CREATE UNIQUE INDEX service_facts_pkey ON public.service_facts USING btree (name)
CREATE INDEX tokens_account ON public.tokens USING btree (account_id)
CREATE UNIQUE INDEX tokens_pkey ON public.tokens USING btree (id)
CREATE UNIQUE INDEX tokens_token_hash_key ON public.tokens USING btree (token_hash)
CREATE UNIQUE INDEX users_email_key ON public.users USING btree (email)
CREATE UNIQUE INDEX users_pkey ON public.users USING btree (id)
CREATE INDEX windows_ended ON public.windows USING btree (ended_at)
CREATE INDEX windows_job ON public.windows USING btree (job_id, from_time)
CREATE INDEX windows_open ON public.windows USING btree (state, job_id)
CREATE UNIQUE INDEX windows_pkey ON public.windows USING btree (id)
CREATE INDEX zones_by_name ON public.zones USING btree (name)
CREATE UNIQUE INDEX zones_name ON public.zones USING btree (account_id, name)
CREATE UNIQUE INDEX zones_pkey ON public.zones USING btree (id)
