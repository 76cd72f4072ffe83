# Runs the script of an online migration in a migration of Rails.

class MigrateKeys < ActiveRecord::Migration[6.1]
  disable_ddl_transaction!

  def up
    select_values(ENV["SCRIPT"]).each { |statement| execute statement }
  end
end

ActiveRecord::Base.establish_connection(adapter: "postgresql", database: ENV["PGDATABASE"])
ActiveRecord::Migration.verbose = false
ActiveRecord::Migrator.new(:up, [MigrateKeys.new(nil, 1)], ActiveRecord::SchemaMigration).migrate
