-- The plain service's tables (plain-service.ts): what such a service usually has, with an index for
-- each of its queries and none beside them.
create table api_keys (
  id uuid primary key,
  token_hash bytea not null unique,
  permission text not null
);
create table api_key_point_systems (
  api_key_id uuid not null references api_keys,
  point_system_id uuid not null,
  primary key (api_key_id, point_system_id)
);
create table triggers (
  point_system_id uuid not null,
  key text not null,
  points bigint not null,
  is_active boolean not null,
  primary key (point_system_id, key)
);
create table blacklist (
  point_system_id uuid not null,
  address text not null,
  primary key (point_system_id, address)
);
create table wallets (
  point_system_id uuid not null,
  address text not null,
  points bigint not null,
  events bigint not null,
  primary key (point_system_id, address)
);
create index wallets_board on wallets (point_system_id, points desc, address);
create table point_events (
  id bigint generated always as identity primary key,
  point_system_id uuid not null,
  address text not null,
  points bigint not null,
  event text not null,
  api_key_id uuid not null,
  created_at timestamptz not null default now()
);
create index point_events_limit on point_events (api_key_id, address, event, created_at);
