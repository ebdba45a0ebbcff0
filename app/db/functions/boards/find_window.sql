-- Finds the window of a repeating board that holds a time: its label, its start and its end. Windows begin at the
-- midnights of the time zone, so one with a change of its clocks is an hour shorter or longer. They lie side by side:
-- each bound is made of its date alone.
--
-- Where a midnight comes twice, or never, the bound may lie on the other side of the time: then the window before or
-- after is the one.
create or replace function find_window(kind text, time_zone text, at timestamptz)
returns table (label text, starts_at timestamptz, ends_at timestamptz)
language sql stable as $$
  select to_char(w.day, k.form), w.day at time zone time_zone, (w.day + k.span) at time zone time_zone
  from (
    select case kind when 'daily' then 'day' when 'weekly' then 'week' else 'month' end as unit,
      case kind when 'daily' then 'YYYY-MM-DD' when 'weekly' then 'IYYY"-W"IW' else 'YYYY-MM' end as form,
      case kind when 'daily' then interval '1 day' when 'weekly' then interval '1 week' else interval '1 month' end as span
  ) k
  cross join lateral (select date_trunc(k.unit, at at time zone time_zone) as day) d
  cross join lateral (values (d.day - k.span), (d.day), (d.day + k.span)) w(day)
  where w.day at time zone time_zone <= at and (w.day + k.span) at time zone time_zone > at
$$;
