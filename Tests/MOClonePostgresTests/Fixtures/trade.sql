-- Orders in schemas off the search path: keys of letters, composite and shared keys, names in camel case.
CREATE SCHEMA trade;
CREATE SCHEMA crm;
CREATE TYPE trade."orderState" AS ENUM ('open', 'it''s shipped');

CREATE TABLE trade.customers (
  customer_id character(5) PRIMARY KEY,
  company_name varchar(40) NOT NULL,
  contact jsonb
);
COMMENT ON TABLE trade.customers IS 'Who orders.';

CREATE TABLE trade.employees (
  employee_id smallint PRIMARY KEY,
  last_name varchar(20) NOT NULL,
  birth_date date,
  photo bytea,
  reports_to smallint REFERENCES trade.employees,
  salary money
);
COMMENT ON COLUMN trade.employees.reports_to IS 'The boss, if any.';
CREATE INDEX ON trade.employees (reports_to);

CREATE TABLE trade.territories (territory_id varchar(20) PRIMARY KEY, name text NOT NULL);
CREATE TABLE trade.employee_territories (
  employee_id smallint REFERENCES trade.employees,
  territory_id varchar(20) REFERENCES trade.territories,
  PRIMARY KEY (employee_id, territory_id)
);
CREATE INDEX ON trade.employee_territories (territory_id);

CREATE TABLE trade.products (
  product_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  sku text NOT NULL UNIQUE,
  unit_price double precision,
  discontinued boolean NOT NULL DEFAULT false
);

CREATE TABLE trade.orders (
  order_id bigint GENERATED ALWAYS AS IDENTITY (START 10248) PRIMARY KEY,
  customer_id character(5) REFERENCES trade.customers ON DELETE CASCADE,
  employee_id smallint REFERENCES trade.employees ON DELETE SET NULL,
  order_date timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  state trade."orderState" NOT NULL DEFAULT 'open',
  ship_name varchar(40) DEFAULT 'it''s' || ' me',
  freight numeric(10, 2) DEFAULT -1,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON trade.orders (customer_id);
CREATE INDEX ON trade.orders (employee_id);

CREATE TABLE trade.order_details (
  order_id bigint NOT NULL REFERENCES trade.orders ON DELETE CASCADE,
  product_id uuid NOT NULL REFERENCES trade.products,
  quantity smallint NOT NULL DEFAULT 1 CHECK (quantity > 0),
  PRIMARY KEY (order_id, product_id)
);
CREATE INDEX ON trade.order_details (product_id);

CREATE TABLE trade.shipments (
  order_id bigint,
  product_id uuid,
  number int,
  shipped date,
  PRIMARY KEY (order_id, product_id, number),
  FOREIGN KEY (order_id, product_id) REFERENCES trade.order_details ON DELETE CASCADE
);

CREATE TABLE crm.customers (id serial PRIMARY KEY, "fullName" text NOT NULL, "customerId" character(5) UNIQUE REFERENCES trade.customers);
CREATE TABLE crm."phoneCall" (
  "callId" uuid NOT NULL UNIQUE,
  "at" timestamptz NOT NULL,
  "customerNumber" int NOT NULL REFERENCES crm.customers,
  duration interval
);
CREATE INDEX ON crm."phoneCall" ("customerNumber");

INSERT INTO trade.customers VALUES ('ALFKI', 'Alfreds Futterkiste', '{"name": "Maria"}'), ('ANATR', 'Ana Trujillo', NULL);
INSERT INTO trade.employees VALUES (2, 'Fuller', '1952-02-19', NULL, NULL, 10), (1, 'Davolio', '1948-12-08', '\x15', 2, 5);
INSERT INTO trade.territories VALUES ('01581', 'Westboro'), ('01730', 'Bedford');
INSERT INTO trade.employee_territories VALUES (1, '01581'), (1, '01730'), (2, '01581');
INSERT INTO trade.products (product_id, sku) VALUES ('6f5902ac-237c-4ac9-8b6d-d6d0b1d63d2a', 'CHAI'),
  ('e8a1f3a4-9d53-4b2e-8f5e-8a3a5d2f7c11', 'TOFU');
INSERT INTO trade.orders (customer_id, employee_id, freight) VALUES ('ALFKI', 1, 29.46), ('ALFKI', 2, 61.02), ('ANATR', 1, NULL);
INSERT INTO trade.order_details SELECT order_id, product_id, 5 FROM trade.orders, trade.products;
INSERT INTO trade.shipments SELECT order_id, product_id, n, '2024-01-31' FROM trade.order_details, generate_series(1, 2) n
WHERE order_id < 10250;
INSERT INTO crm.customers ("fullName", "customerId") VALUES ('Maria Anders', 'ALFKI'), ('Nobody', NULL);
INSERT INTO crm."phoneCall" VALUES ('b1b3a1de-4c29-4f6e-a0f3-0d1f0c7f7a01', '2024-02-01 10:00Z', 1, '5 minutes');
