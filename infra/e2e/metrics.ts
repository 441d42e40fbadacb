import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the documents say about a metric, and what a service says. */
interface DescribedMetric {
  name: string;
  type: string;
  unit: string;
  labels: string;
  help: string;
}

const prefix = 'multi_drm_';

/** The rows of the table in `docs/operator.md`, in the order of their names. */
export function documentedMetrics(): (DescribedMetric & { services: string })[] {
  const document = readFileSync(join(__dirname, '../../docs/operator.md'), 'utf8');
  const rows = document.split('\n').filter((line) => line.startsWith(`| \`${prefix}`));
  return inOrder(
    rows.map((row) => {
      const [name = '', services = '', type = '', unit = '', labels = '', help = ''] = row
        .split('|')
        .slice(1)
        .map((cell) => cell.trim().replaceAll('`', ''));
      return { name, services, type, unit, labels, help };
    }),
  );
}

/** Reads the product's own metrics of a service. `samples`: the lines of all series. */
export async function readMetrics(url: string): Promise<{ metrics: DescribedMetric[]; samples: string[] }> {
  const lines = (await (await fetch(url)).text()).split('\n').filter((line) => line.includes(prefix));
  const samples = lines.filter((line) => line.startsWith(prefix));
  const metrics = lines.flatMap((line) => {
    const [, name, help = ''] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const type = lines.find((other) => other.startsWith(`# TYPE ${name} `))?.split(' ')[3] ?? '';
    const sample = samples.find((other) => other.startsWith(name)) ?? '';
    const labels = Array.from(sample.matchAll(/(\w+)="/g), ([, label]) => label).filter((label) => label !== 'le');
    return [{ name, type, unit: unitOf(name), labels: labels.join(', '), help }];
  });
  return { metrics: inOrder(metrics), samples };
}

/** The unit is the end of the name (Prometheus: metric and label naming); all others count. */
function unitOf(name: string): string {
  return name.endsWith('_seconds') ? 'seconds' : 'number';
}

function inOrder<Metric extends { name: string }>(metrics: Metric[]): Metric[] {
  return metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
