// What artisan migrate does, and the autoloader of an application
require 'Illuminate/Database/autoload.php';
require 'Illuminate/Pagination/autoload.php';

$application = new Illuminate\Container\Container();
$capsule = new Illuminate\Database\Capsule\Manager($application);
$capsule->addConnection(['driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'database' => 'shop',
    'username' => getenv('PGUSER'), 'charset' => 'utf8']);
$capsule->bootEloquent();
$application->instance('db', $capsule->getDatabaseManager());
$schema = $capsule->getConnection()->getSchemaBuilder();
$application->instance('db.schema', $schema);
Illuminate\Support\Facades\Facade::setFacadeApplication($application);
// Those that have run are not run again.
foreach ($schema->hasTable('orders') ? [] : glob('database/migrations/*.php') as $file) {
    (require $file)->up();
}
foreach (glob('app/Models/*.php') as $file) {
    require $file;
}
