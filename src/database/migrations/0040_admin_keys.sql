CREATE TABLE "admin_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"environment" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"public_key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "admin_nonces" (
	"key_id" text NOT NULL,
	"nonce" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "admin_nonces_key_id_nonce_pk" PRIMARY KEY("key_id","nonce")
);
--> statement-breakpoint
ALTER TABLE "admin_nonces" ADD CONSTRAINT "admin_nonces_key_id_admin_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."admin_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "admin_nonces_expires" ON "admin_nonces" USING btree ("expires_at");