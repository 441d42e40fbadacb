-- AlterEnum
ALTER TYPE "actor_kind" ADD VALUE 'system';
