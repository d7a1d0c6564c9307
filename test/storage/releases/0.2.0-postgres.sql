--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: deletions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deletions (
    guild_id text NOT NULL,
    user_id text NOT NULL,
    asked_at bigint NOT NULL
);


--
-- Name: interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.interactions (
    id text NOT NULL,
    guild_id text NOT NULL,
    owner text NOT NULL,
    taken_at bigint NOT NULL,
    sealed text,
    changes text
);


--
-- Name: jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.jobs (
    name text NOT NULL,
    owner text NOT NULL,
    until bigint NOT NULL
);


--
-- Name: keyv; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.keyv (
    key character varying(255) NOT NULL COLLATE pg_catalog."C",
    value text,
    namespace character varying(255) DEFAULT ''::character varying NOT NULL,
    expires bigint
);


--
-- Name: kysely_migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);


--
-- Name: kysely_migration_lock; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);


--
-- Name: leases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leases (
    owner text NOT NULL,
    until bigint NOT NULL,
    sealing_key text NOT NULL
);


--
-- Name: presence; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.presence (
    guild_id text NOT NULL,
    used_at bigint,
    absent_since bigint,
    absences integer DEFAULT 0 NOT NULL,
    was_listed integer DEFAULT 0 NOT NULL,
    is_doubted integer DEFAULT 0 NOT NULL
);


--
-- Name: servers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.servers (
    submission_id text NOT NULL,
    "position" integer NOT NULL,
    guild_id text NOT NULL,
    user_id text,
    host text NOT NULL,
    port integer NOT NULL,
    query_port integer,
    game text NOT NULL,
    address text NOT NULL,
    reserved_at bigint,
    sent_at bigint,
    ended_at bigint,
    outcome text,
    message text,
    reason text
);


--
-- Name: submissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.submissions (
    id text NOT NULL,
    guild_id text NOT NULL,
    user_id text,
    user_name text,
    state text NOT NULL,
    draft text,
    interaction_id text,
    owner text,
    created_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    expires_at bigint,
    decided_by text,
    decided_at bigint,
    decision_id text,
    refusal text,
    channel_id text,
    message_id text,
    message_due_at bigint
);


--
-- Data for Name: deletions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.interactions VALUES ('1574436759234674688', '1323802873036800000', '9defa75c-5ab8-4394-84fa-8e0d99d5374d', 1795445375023, NULL, '1574436759234674688');
INSERT INTO public.interactions VALUES ('1574436763592556544', '1323802873036800000', '9defa75c-5ab8-4394-84fa-8e0d99d5374d', 1795445375062, NULL, '1574436763550613504');
INSERT INTO public.interactions VALUES ('1574436763659665408', '1323802873036800000', '9defa75c-5ab8-4394-84fa-8e0d99d5374d', 1795445375078, NULL, '1574436763659665408');
INSERT INTO public.interactions VALUES ('1574436763974238208', '1323802873036800000', '9defa75c-5ab8-4394-84fa-8e0d99d5374d', 1795445375154, NULL, '1574436763974238208');


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs VALUES ('games', '9defa75c-5ab8-4394-84fa-8e0d99d5374d', 1795445404991);
INSERT INTO public.jobs VALUES ('publish', '9defa75c-5ab8-4394-84fa-8e0d99d5374d', 1795445405003);
INSERT INTO public.jobs VALUES ('departures', '9defa75c-5ab8-4394-84fa-8e0d99d5374d', 1795448975024);


--
-- Data for Name: keyv; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.keyv VALUES ('store:place', '{"value":"16384 16398"}', '', NULL);
INSERT INTO public.keyv VALUES ('health:write-test', '{"value":1795445374967}', '', NULL);
INSERT INTO public.keyv VALUES ('encryption:used-key:90545d8ed4de', '{"value":true}', '', NULL);
INSERT INTO public.keyv VALUES ('published:1574436758404202496', '{"value":"1196de8c5b67e22279c61ffa1f37db5d85d139645e199af28b6a116f2de2f708"}', '', NULL);
INSERT INTO public.keyv VALUES ('application:current', '{"value":{"id":"1574436758404202496","since":0}}', '', NULL);
INSERT INTO public.keyv VALUES ('games:list', '{"value":{"fetchedAt":1795445375039,"games":[{"name":"7 Days to Die","alias":"7dtd"},{"name":"ARK: Survival Ascended","alias":"arksa"},{"name":"ARK: Survival Evolved","alias":"ark"},{"name":"Arma 3","alias":"arma3"},{"name":"Arma Reforger","alias":"reforger"},{"name":"Assetto Corsa","alias":"assetto"},{"name":"Barotrauma","alias":"barotrauma"},{"name":"Battlefield 4","alias":"bf4"},{"name":"Call of Duty 4: Modern Warfare","alias":"cod4"},{"name":"Call of Duty®: World at War","alias":"codwaw"},{"name":"Conan Exiles","alias":"conan"},{"name":"Counter-Strike 1.6","alias":"cs16"},{"name":"Counter-Strike 2","alias":"cs2"},{"name":"Counter-Strike: Condition Zero","alias":"cscz"},{"name":"Counter-Strike: Global Offensive","alias":"csgo"},{"name":"Counter-Strike: Source","alias":"css"},{"name":"DayZ","alias":"dayz"},{"name":"Day of Defeat: Source","alias":"dods"},{"name":"Don’t Starve Together","alias":"dst"},{"name":"Eco","alias":"eco"},{"name":"Enshrouded","alias":"enshrouded"},{"name":"Factorio","alias":"factorio"},{"name":"FiveM","alias":"fivem"},{"name":"Garry''s Mod","alias":"gm"},{"name":"Half-Life 2: Deathmatch","alias":"hl2dm"},{"name":"Hell Let Loose","alias":"hll"},{"name":"Insurgency: Sandstorm","alias":"sandstorm"},{"name":"Killing Floor 2","alias":"kf2"},{"name":"Left 4 Dead","alias":"l4d"},{"name":"Left 4 Dead 2","alias":"l4d2"},{"name":"Minecraft","alias":"minecraft"},{"name":"Minecraft: Bedrock Edition","alias":"bedrock"},{"name":"Minecraft: Pokémon (Cobblemon)","alias":"cobblemon"},{"name":"MORDHAU","alias":"mordhau"},{"name":"Mount & Blade II: Bannerlord","alias":"bannerlord"},{"name":"Palworld","alias":"palworld"},{"name":"Project Zomboid","alias":"zomboid"},{"name":"Quake III Arena","alias":"q3a"},{"name":"Rust","alias":"rust"},{"name":"S.T.A.L.K.E.R.: Call of Pripyat","alias":"stalkercop"},{"name":"San Andreas Multiplayer","alias":"samp"},{"name":"Satisfactory","alias":"satisfactory"},{"name":"Sons of the Forest","alias":"sotf"},{"name":"Squad","alias":"squad"},{"name":"Team Fortress 2","alias":"tf2"},{"name":"Terraria","alias":"terraria"},{"name":"Tom Clancy’s Rainbow Six 3: Raven Shield","alias":"ravenshield"},{"name":"TrackMania² Stadium","alias":"tm2stadium"},{"name":"Unreal Tournament 2004","alias":"ut2004"},{"name":"Unturned","alias":"unturned"},{"name":"V Rising","alias":"vrising"},{"name":"Valheim","alias":"valheim"}],"isShort":false}}', '', NULL);
INSERT INTO public.keyv VALUES ('settings:1323802873036800000', '{"value":{"locale":"en-US","announce":false,"dailyQuota":42}}', '', NULL);
INSERT INTO public.keyv VALUES ('api-key:1323802873036800000', '{"value":{"sealed":{"v":1,"k":"90545d8ed4de","iv":"e5YeAmPQkOtjoMgc","data":"i13u70pgQZIv6SY=","tag":"sahzrwC2Mwknvt3NqJrmJg=="},"lastFour":"","setBy":"300000000000000001","setAt":"2026-11-23T14:49:35.044Z","workedAt":"2026-11-23T14:49:35.113Z","answer":{"at":"2026-11-23T14:49:35.113Z","accepted":true,"message":"Servers have been added for review."}}}', '', NULL);


--
-- Data for Name: kysely_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kysely_migration VALUES ('2.0-tables', '2026-11-23T14:49:34.943Z');


--
-- Data for Name: kysely_migration_lock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: presence; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: servers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.servers VALUES ('1574436763659665408', 0, '1323802873036800000', '300000000000000002', 'kept.example.com', 27015, NULL, 'cs2', 'kept.example.com:27015', 1795445375094, 1795445375102, 1795445375111, 'accepted', 'Servers have been added for review.', NULL);


--
-- Data for Name: submissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.submissions VALUES ('1574436763659665408', '1323802873036800000', '300000000000000002', 'member', 'done', NULL, '1574436763659665408', '9defa75c-5ab8-4394-84fa-8e0d99d5374d', 1795445375094, 1795445375094, 1795445375120, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.submissions VALUES ('1574436763974238208', '1323802873036800000', '300000000000000002', 'member', 'draft', '{"source":"options","rows":[{"kind":"refused","line":1,"problem":{"code":"port-too-high","field":"port","port":70000},"typed":{"server":"kept.example.com:70000","port":"","queryPort":"","game":"cs2"}}],"includesAlreadySubmitted":false}', NULL, NULL, 1795445375159, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);


--
-- Name: deletions deletions_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deletions
    ADD CONSTRAINT deletions_pk PRIMARY KEY (guild_id, user_id);


--
-- Name: interactions interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interactions
    ADD CONSTRAINT interactions_pkey PRIMARY KEY (id);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (name);


--
-- Name: keyv keyv_key_namespace_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keyv
    ADD CONSTRAINT keyv_key_namespace_key UNIQUE (key, namespace);


--
-- Name: kysely_migration_lock kysely_migration_lock_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);


--
-- Name: kysely_migration kysely_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);


--
-- Name: leases leases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (owner);


--
-- Name: presence presence_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.presence
    ADD CONSTRAINT presence_pkey PRIMARY KEY (guild_id);


--
-- Name: servers servers_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.servers
    ADD CONSTRAINT servers_pk PRIMARY KEY (submission_id, "position");


--
-- Name: submissions submissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_pkey PRIMARY KEY (id);


--
-- Name: interactions_by_guild; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_by_guild ON public.interactions USING btree (guild_id);


--
-- Name: interactions_by_message; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_by_message ON public.interactions USING btree (changes, id);


--
-- Name: interactions_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_by_time ON public.interactions USING btree (taken_at);


--
-- Name: interactions_unanswered; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_unanswered ON public.interactions USING btree (owner) WHERE (sealed IS NOT NULL);


--
-- Name: servers_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_address ON public.servers USING btree (guild_id, address, outcome, reserved_at);


--
-- Name: servers_by_member; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_member ON public.servers USING btree (guild_id, user_id, reserved_at, outcome);


--
-- Name: servers_by_member_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_member_time ON public.servers USING btree (guild_id, user_id, ended_at, submission_id, "position", address, game, outcome);


--
-- Name: servers_by_outcome; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_outcome ON public.servers USING btree (outcome, ended_at);


--
-- Name: servers_by_reservation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_reservation ON public.servers USING btree (guild_id, reserved_at);


--
-- Name: servers_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_time ON public.servers USING btree (guild_id, ended_at, submission_id, "position", address, game, outcome);


--
-- Name: submissions_by_decision; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_decision ON public.submissions USING btree (decision_id);


--
-- Name: submissions_by_interaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_interaction ON public.submissions USING btree (interaction_id);


--
-- Name: submissions_by_member; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_member ON public.submissions USING btree (guild_id, state, user_id, created_at);


--
-- Name: submissions_by_member_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_member_time ON public.submissions USING btree (guild_id, user_id, ended_at, id);


--
-- Name: submissions_by_moderator; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_moderator ON public.submissions USING btree (guild_id, decided_by);


--
-- Name: submissions_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_state ON public.submissions USING btree (state, created_at);


--
-- Name: submissions_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_time ON public.submissions USING btree (guild_id, ended_at, id);


--
-- Name: submissions_message_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_message_due ON public.submissions USING btree (owner) WHERE (message_due_at IS NOT NULL);


--
-- PostgreSQL database dump complete
--


