-- What an app has made over the years: an enum, an array and a JSON column that the model does not name.
CREATE TYPE project_state AS ENUM ('draft', 'open', 'done');
CREATE TABLE customer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, email text NOT NULL);
CREATE TABLE project (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, uuid uuid NOT NULL UNIQUE, name text NOT NULL,
  state project_state NOT NULL, budget numeric(12, 2), created timestamptz NOT NULL,
  customer_id bigint NOT NULL REFERENCES customer, labels text[] NOT NULL DEFAULT '{}', settings jsonb);
CREATE TABLE task (
  id bigserial PRIMARY KEY, name text NOT NULL, project_uuid uuid NOT NULL,
  project_id bigint NOT NULL REFERENCES project, position bigint, parent_id bigint REFERENCES task);
CREATE TABLE tag (id bigserial PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE project_tag (
  project_id bigint NOT NULL REFERENCES project, tag_id bigint NOT NULL REFERENCES tag,
  PRIMARY KEY (project_id, tag_id));
CREATE INDEX ON project (customer_id);
CREATE INDEX ON task (project_id, position);
CREATE INDEX ON task (parent_id);
CREATE INDEX ON project_tag (tag_id);

INSERT INTO customer (name, email) VALUES ('Alfreds', 'maria@alfreds.example'), ('Bolido', 'martin@bolido.example');
INSERT INTO project (uuid, name, state, budget, created, customer_id, labels, settings)
  SELECT gen_random_uuid(), n, 'open', 12500.50, '2026-01-31 12:00+01', c.id, '{spring,"two words"}', '{"colour": "green"}'
  FROM customer c, unnest('{Website,Shop}'::text[]) n;
INSERT INTO task (name, project_uuid, project_id, position)
  SELECT 'Task ' || i, uuid, id, i FROM project, generate_series(1, 3) i ORDER BY id, i;
INSERT INTO task (name, project_uuid, project_id, position, parent_id)
  SELECT 'Part of ' || name, project_uuid, project_id, 3 + position, id FROM task ORDER BY id;
INSERT INTO tag (name) VALUES ('web'), ('urgent');
INSERT INTO project_tag SELECT p.id, t.id FROM project p, tag t;
