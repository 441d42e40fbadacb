import { defineConfig } from 'prisma/config';

// The script `generate` names a program that is there as the schema engine, so that Prisma does not download its own: to
// generate the client it asks for the engine and never runs it.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // `prisma generate` wants an address and never uses it.
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost:5432/unused' },
});
