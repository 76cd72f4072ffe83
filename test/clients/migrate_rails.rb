# What bin/rails db:migrate does, and the console when it loads models
ActiveRecord::Base.establish_connection(adapter: "postgresql", database: "shop")
ActiveRecord::Migration.verbose = false
ActiveRecord::MigrationContext.new("db/migrate", ActiveRecord::SchemaMigration).migrate
Dir["app/models/*.rb"].each { |file| load file }
