# Active Record: what db/schema.rb says of the database that autogenerate_test.py leaves, and what it creates from that.

def check(what, got, expected)
  puts got == expected ? "ok - #{what}" : "not ok - #{what}\n# got #{got.inspect}, expected #{expected.inspect}"
end

def schema_of(database)
  ActiveRecord::Base.establish_connection(adapter: "postgresql", database: database)
  output = StringIO.new
  ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection, output)
  output.string
end

ActiveRecord::Migration.verbose = false
schema = schema_of("clients")
check "the tables", schema.scan(/create_table "(\w+)"/).flatten, %w[orders visitors visits]
check "    and the extensions", schema.scan(/enable_extension "(\w+)"/).flatten,
      %w[plpgsql uuidx uuidx_migrate uuidx_ossp uuidx_pg18 uuidx_pg_uuidv7]
check "    with the default of a key", schema.scan(/create_table "orders".*default: -> { "(.*?)" }/).flatten,
      ["uuid_generate_v7()"]
check "    and its CHECK constraint", schema.scan(/check_constraint "(.*?)"/).flatten, ["uuid_is_v7(id) = true"]
ActiveRecord::Base.connection.create_database("copy")
check "a new database has no table", schema_of("copy").scan("create_table"), []
eval(schema)
check "    and becomes the same", schema_of("copy"), schema
puts "done"
