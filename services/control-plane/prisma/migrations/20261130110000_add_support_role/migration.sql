-- AlterEnum
ALTER TYPE "management_role" ADD VALUE 'support' BEFORE 'viewer';
