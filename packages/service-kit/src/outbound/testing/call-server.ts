import { AddressGuard } from '../address-guard';
import { parseAllowList } from '../allow-list';
import { OutboundClient } from '../outbound-request';

// A process of its own for tests, because Node reads NODE_EXTRA_CA_CERTS only at its start. Calls the URL in its arguments, and
// prints the answer or the kind of failure.

const guard = new AddressGuard(parseAllowList('127.0.0.1').allowed);
const client = new OutboundClient({ guard, maximumConnections: 1 });
const [, , url = ''] = process.argv;
client
  .send({ method: 'GET', url }, { signal: AbortSignal.timeout(20_000) })
  .then(
    ({ body }) => console.log(body.toString()),
    ({ kind }) => console.log(kind),
  )
  .finally(() => client.close());
