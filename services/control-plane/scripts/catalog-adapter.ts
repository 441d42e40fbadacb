import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import { type ClientBase, Pool, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { prepareConnection } from '../src/database/prepare-connection';

/** PostgreSQL type OIDs (pg_type.oid): `"char"`, which the system catalog uses throughout, and `text`. */
const characterType = 18;
const textType = 25;

type RunQuery = (config: QueryArrayConfig) => Promise<QueryArrayResult>;

/**
 * The adapter through which the schema engine reads PostgreSQL's catalog. `PrismaPg` rejects columns of type `"char"`,
 * so they are reported as text to `PrismaPg` and as characters to the engine.
 */
export class CatalogAdapter extends PrismaPg {
  private readonly characterColumns: WeakMap<readonly unknown[], number[]>;

  constructor(connectionString: string) {
    const characterColumns = new WeakMap<readonly unknown[], number[]>();
    super(poolThatHidesCharacters(connectionString, characterColumns), { disposeExternalPool: true });
    this.characterColumns = characterColumns;
  }

  override async connect() {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const column of this.characterColumns.get(result.rows) ?? []) {
        result.columnTypes[column] = ColumnTypeEnum.Character;
      }
      return result;
    };
    return adapter;
  }
}

/** Reports each column of type `"char"` as `text` and remembers those columns by the result's rows. */
function poolThatHidesCharacters(connectionString: string, notes: WeakMap<readonly unknown[], number[]>): Pool {
  const onConnect = async (client: ClientBase) => {
    await prepareConnection(client, undefined);
  };
  const pool = new Pool({ connectionString, max: 1, onConnect });
  // `PrismaPg` calls only this overload of the method.
  const runQuery: RunQuery = pool.query.bind(pool);
  const query: RunQuery = async (config) => {
    const result = await runQuery(config);
    const columns = result.fields.flatMap(({ dataTypeID }, column) => (dataTypeID === characterType ? [column] : []));
    notes.set(result.rows, columns);
    for (const field of result.fields) {
      if (field.dataTypeID === characterType) field.dataTypeID = textType;
    }
    return result;
  };
  return Object.assign(pool, { query });
}
