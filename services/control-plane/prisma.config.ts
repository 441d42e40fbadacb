import { defineConfig } from 'prisma/config';

// The script `generate` names an existing program as the schema engine, so that Prisma does not download its own:
// generating the client requires an engine but never runs it.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // `prisma generate` requires an address and never uses it.
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost:5432/unused' },
});
