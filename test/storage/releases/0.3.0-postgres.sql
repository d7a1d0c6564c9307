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
-- Name: documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.documents (
    id text NOT NULL,
    guild_id text NOT NULL,
    user_id text NOT NULL,
    user_name text NOT NULL,
    source text NOT NULL,
    lines text,
    changed_at bigint NOT NULL
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
    was_listed integer DEFAULT 0 NOT NULL
);


--
-- Name: servers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.servers (
    submission_id text NOT NULL,
    "position" integer NOT NULL,
    guild_id text NOT NULL,
    user_id text,
    line integer NOT NULL,
    host text NOT NULL,
    port integer NOT NULL,
    query_port integer,
    game text NOT NULL,
    address text NOT NULL,
    reserved_at bigint,
    is_forgotten integer DEFAULT 0 NOT NULL,
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
    document_id text NOT NULL,
    guild_id text NOT NULL,
    user_id text,
    user_name text,
    state text NOT NULL,
    interaction_id text,
    owner text,
    created_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    expires_at bigint,
    decided_by text,
    decision_id text,
    corrected_by text,
    refusal text,
    refusal_key text,
    channel_id text,
    message_id text,
    changes integer DEFAULT 0 NOT NULL,
    shown integer DEFAULT 0 NOT NULL,
    telling text,
    told_at bigint
);


--
-- Name: used; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.used (
    guild_id text NOT NULL,
    count integer NOT NULL,
    until bigint NOT NULL
);


--
-- Data for Name: documents; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.documents VALUES ('1575661996412502016', '1323802873036800000', '1323802873036800012', 'member', 'options', NULL, 1795737494363);
INSERT INTO public.documents VALUES ('1575662026976395264', '1323802873036800000', '1323802873036800012', 'member', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"refused.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"refused.example.com","port":27015,"game":"cs2"}}],"includesAlreadySubmitted":false}', 1795737494669);
INSERT INTO public.documents VALUES ('1575662027223859200', '1323802873036800000', '1323802873036800012', 'member', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"waits.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"waits.example.com","port":27015,"game":"cs2"}}],"includesAlreadySubmitted":false}', 1795737494705);
INSERT INTO public.documents VALUES ('1575662039869685760', '1323802873036800000', '1323802873036800012', 'member', 'text', '{"rows":[{"kind":"ready","line":1,"submission":{"server":"s0.example.com","port":27015,"game":"cs2"}},{"kind":"ready","line":2,"submission":{"server":"s1.example.com","port":27015,"game":"cs2"}},{"kind":"ready","line":3,"submission":{"server":"s2.example.com","port":27015,"game":"cs2"}}],"noise":0,"includesAlreadySubmitted":false}', 1795737497699);
INSERT INTO public.documents VALUES ('1575662044244344832', '1323802873036800000', '1323802873036800011', 'admin', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"underway.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"underway.example.com","port":27015,"game":"cs2"}}],"includesAlreadySubmitted":false}', 1795737497747);


--
-- Data for Name: interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.interactions VALUES ('1575661996139872256', '1323802873040994304', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494265, NULL, '1575661996139872256');
INSERT INTO public.interactions VALUES ('1575661996286672896', '1323802873040994304', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494300, NULL, '1575661996265701376');
INSERT INTO public.interactions VALUES ('1575661996412502016', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494331, NULL, '1575661996412502016');
INSERT INTO public.interactions VALUES ('1575661996345393152', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494314, NULL, '1575661996345393152');
INSERT INTO public.interactions VALUES ('1575662001126899712', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494454, NULL, '1575662001068179456');
INSERT INTO public.interactions VALUES ('1575661996626411520', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494381, NULL, '1575661996626411520');
INSERT INTO public.interactions VALUES ('1575661996769017856', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494416, NULL, '1575661996680937472');
INSERT INTO public.interactions VALUES ('1575661996794183680', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494421, NULL, '1575661996680937472');
INSERT INTO public.interactions VALUES ('1575662001097539584', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494447, NULL, '1575662001068179456');
INSERT INTO public.interactions VALUES ('1575662005413478400', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494477, NULL, '1575662005384118272');
INSERT INTO public.interactions VALUES ('1575662005434449920', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494481, NULL, '1575662005384118272');
INSERT INTO public.interactions VALUES ('1575662009733611520', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494506, NULL, '1575662009708445696');
INSERT INTO public.interactions VALUES ('1575662009758777344', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494513, NULL, '1575662009708445696');
INSERT INTO public.interactions VALUES ('1575662014049550336', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494535, NULL, '1575662014020190208');
INSERT INTO public.interactions VALUES ('1575662018348711936', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494560, NULL, '1575662018306768896');
INSERT INTO public.interactions VALUES ('1575662026926063616', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494605, NULL, '1575662026888314880');
INSERT INTO public.interactions VALUES ('1575662027156750336', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494660, NULL, '1575662027156750336');
INSERT INTO public.interactions VALUES ('1575662044156264448', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737497713, NULL, '1575662044131098624');
INSERT INTO public.interactions VALUES ('1575662044177235968', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737497718, NULL, '1575662044131098624');
INSERT INTO public.interactions VALUES ('1575662044244344832', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737497735, '{"v":1,"k":"90545d8ed4de","iv":"Bqx2XtSvx+ZWjaxj","data":"ClQpg2K5pM7D1g2E6GvnT0wRhJl85LDZy3ZA42XcEs5ILFDEgf63Vpasj3KKqdVhl9PR3qedzfUWfaO/encx+4Bwxlv1efNgYMXI7R7rjLeCs2ZddCTXP117II6Qp2nXsmgtaTm37CN3FwJX4aR2Fj9H3rAJP6uq9D2B1hUTquDQdK0eGLOUc6vRFsuagjYp7/KDjWtv0y6KswUtRDzWqy4MeI9krEwVcMVLNH/dK9yWts2Yw9jz0Tr15bn2hwnggDwT6GSMkEBW947A6j8n9DMFXOXB4Bh0W6PLkZembDpzIaZtir7BAqb5/KJLov1t43gq0cIPRjMFnc8NCNGiC/BVQXomFnBS/yMwPigi2nRJwP3sR08q3me/MrRolIybnCwy/9SaHlUgjx0h1do29FMlky3ZIgix3gPxPEJKl+hGRwrT3/2Wfw1U8akTQh7ZclGM31iqr9OC9aHoYzfEaqfebM5MObKUmOHYIt54uJoqkP5Q5cqe8iGpzWiwgIqQGCRUVPbuPKkcrMxEPFnSBe7Ew2tGspy2IN21ufpUY1aonCQG7Be8Pw==","tag":"8Zn5eB4BZea3r4U9CFCRMA=="}', '1575662044244344832');
INSERT INTO public.interactions VALUES ('1575662014066327552', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494540, NULL, '1575662014020190208');
INSERT INTO public.interactions VALUES ('1575662018382266368', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494568, NULL, '1575662018306768896');
INSERT INTO public.interactions VALUES ('1575662022635290624', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494581, NULL, '1575662022614319104');
INSERT INTO public.interactions VALUES ('1575662022647873536', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494585, NULL, '1575662022614319104');
INSERT INTO public.interactions VALUES ('1575662026909286400', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494601, NULL, '1575662026888314880');
INSERT INTO public.interactions VALUES ('1575662026976395264', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494618, NULL, '1575662026976395264');
INSERT INTO public.interactions VALUES ('1575662027223859200', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494676, NULL, '1575662027223859200');
INSERT INTO public.interactions VALUES ('1575662039869685760', '1323802873036800000', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737497691, NULL, '1575662039869685760');


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs VALUES ('games', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737524230);
INSERT INTO public.jobs VALUES ('publish', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737524246);
INSERT INTO public.jobs VALUES ('approval messages', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737554260);
INSERT INTO public.jobs VALUES ('departures', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795741095228);
INSERT INTO public.jobs VALUES ('maintenance', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795741095229);


--
-- Data for Name: keyv; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.keyv VALUES ('store:place', '{"value":"16384 16398"}', '', NULL);
INSERT INTO public.keyv VALUES ('health:write-test', '{"value":1795737494204}', '', NULL);
INSERT INTO public.keyv VALUES ('encryption:used-key:90545d8ed4de', '{"value":true}', '', NULL);
INSERT INTO public.keyv VALUES ('published:1575661995493949440', '{"value":"ff793878f710a3d1a7b00d32f373090e796af84d860ace1d92ef0f59c4b8c3bc"}', '', NULL);
INSERT INTO public.keyv VALUES ('games:list', '{"value":{"fetchedAt":1795737494320,"games":[{"name":"7 Days to Die","alias":"7dtd"},{"name":"ARK: Survival Ascended","alias":"arksa"},{"name":"ARK: Survival Evolved","alias":"ark"},{"name":"Arma 3","alias":"arma3"},{"name":"Arma Reforger","alias":"reforger"},{"name":"Assetto Corsa","alias":"assetto"},{"name":"Barotrauma","alias":"barotrauma"},{"name":"Battlefield 4","alias":"bf4"},{"name":"Call of Duty 4: Modern Warfare","alias":"cod4"},{"name":"Call of Duty®: World at War","alias":"codwaw"},{"name":"Conan Exiles","alias":"conan"},{"name":"Counter-Strike 1.6","alias":"cs16"},{"name":"Counter-Strike 2","alias":"cs2"},{"name":"Counter-Strike: Condition Zero","alias":"cscz"},{"name":"Counter-Strike: Global Offensive","alias":"csgo"},{"name":"Counter-Strike: Source","alias":"css"},{"name":"DayZ","alias":"dayz"},{"name":"Day of Defeat: Source","alias":"dods"},{"name":"Don’t Starve Together","alias":"dst"},{"name":"Eco","alias":"eco"},{"name":"Enshrouded","alias":"enshrouded"},{"name":"Factorio","alias":"factorio"},{"name":"FiveM","alias":"fivem"},{"name":"Garry''s Mod","alias":"gm"},{"name":"Half-Life 2: Deathmatch","alias":"hl2dm"},{"name":"Hell Let Loose","alias":"hll"},{"name":"Insurgency: Sandstorm","alias":"sandstorm"},{"name":"Killing Floor 2","alias":"kf2"},{"name":"Left 4 Dead","alias":"l4d"},{"name":"Left 4 Dead 2","alias":"l4d2"},{"name":"Minecraft","alias":"minecraft"},{"name":"Minecraft: Bedrock Edition","alias":"bedrock"},{"name":"Minecraft: Pokémon (Cobblemon)","alias":"cobblemon"},{"name":"MORDHAU","alias":"mordhau"},{"name":"Mount & Blade II: Bannerlord","alias":"bannerlord"},{"name":"Palworld","alias":"palworld"},{"name":"Project Zomboid","alias":"zomboid"},{"name":"Quake III Arena","alias":"q3a"},{"name":"Rust","alias":"rust"},{"name":"S.T.A.L.K.E.R.: Call of Pripyat","alias":"stalkercop"},{"name":"San Andreas Multiplayer","alias":"samp"},{"name":"Satisfactory","alias":"satisfactory"},{"name":"Sons of the Forest","alias":"sotf"},{"name":"Squad","alias":"squad"},{"name":"Team Fortress 2","alias":"tf2"},{"name":"Terraria","alias":"terraria"},{"name":"Tom Clancy’s Rainbow Six 3: Raven Shield","alias":"ravenshield"},{"name":"TrackMania² Stadium","alias":"tm2stadium"},{"name":"Unreal Tournament 2004","alias":"ut2004"},{"name":"Unturned","alias":"unturned"},{"name":"V Rising","alias":"vrising"},{"name":"Valheim","alias":"valheim"}],"isShort":false}}', '', NULL);
INSERT INTO public.keyv VALUES ('api-key:1323802873036800000', '{"value":{"sealed":{"v":1,"k":"90545d8ed4de","iv":"rnaY+4QS2m+51P7M","data":"9jlW/BurxaP4VR0=","tag":"cmL5irnfKjeFulZqPhx2Yw=="},"lastFour":"","setBy":"1323802873036800011","setAt":"2026-11-26T23:58:14.323Z","workedAt":"2026-11-26T23:58:14.364Z","answer":{"at":"2026-11-26T23:58:14.364Z","message":"Servers have been added for review."}}}', '', NULL);
INSERT INTO public.keyv VALUES ('panels:1323802873036800000', '{"value":{"panels":[{"text":"Welcome","buttons":["server","list","mine"],"channelId":"1323802873036800001","messageId":"1575661996647383040"}]}}', '', NULL);
INSERT INTO public.keyv VALUES ('application:current', '{"value":{"id":"1575661995493949440","since":0}}', '', NULL);
INSERT INTO public.keyv VALUES ('settings:1323802873036800000', '{"value":{"locale":"en-US","logChannelId":"1323802873036800003","mayMentionRoles":false,"notifyRoleId":"1323802873036800007","approval":true,"approvalRoleId":"1323802873036800008","mayMentionApprovalRole":false,"trustedRoleId":"1323802873036800007","announce":true,"games":["cs2","factorio"],"dailyQuota":42,"language":"de"}}', '', NULL);


--
-- Data for Name: kysely_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kysely_migration VALUES ('3.00-tables', '2026-11-26T23:58:14.195Z');


--
-- Data for Name: kysely_migration_lock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leases VALUES ('7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737514220, '90545d8ed4de');


--
-- Data for Name: presence; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.presence VALUES ('1323802873036800000', NULL, NULL, 1);


--
-- Data for Name: servers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.servers VALUES ('d7bd4989-60dc-4f0a-b0e9-5651b3b65530', 0, '1323802873036800000', '1323802873036800012', 1, 'kept.example.com', 27015, NULL, 'cs2', 'kept.example.com:27015', 1795737494350, 0, 1795737494357, 1795737494360, 'accepted', 'Servers have been added for review.', NULL);
INSERT INTO public.servers VALUES ('609615b4-a783-496f-b710-715af4de31f0', 0, '1323802873036800000', '1323802873036800012', 1, 'refused.example.com', 27015, NULL, 'cs2', 'refused.example.com:27015', NULL, 0, NULL, 1795737494668, 'not-sent', NULL, 'refused');
INSERT INTO public.servers VALUES ('d9ea9b69-d479-4e4f-af43-951f95366435', 0, '1323802873036800000', '1323802873036800012', 1, 'waits.example.com', 27015, NULL, 'cs2', 'waits.example.com:27015', NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.servers VALUES ('306f3ffd-0307-46fc-bdf9-52e638a715cf', 0, '1323802873036800000', '1323802873036800011', 1, 'underway.example.com', 27015, NULL, 'cs2', 'underway.example.com:27015', 1795737497748, 0, 1795737497755, NULL, NULL, NULL, NULL);


--
-- Data for Name: submissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.submissions VALUES ('d7bd4989-60dc-4f0a-b0e9-5651b3b65530', '1575661996412502016', '1323802873036800000', '1323802873036800012', 'member', 'done', '1575661996412502016', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494348, 1795737494350, 1795737494361, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL);
INSERT INTO public.submissions VALUES ('609615b4-a783-496f-b710-715af4de31f0', '1575662026976395264', '1323802873036800000', '1323802873036800012', 'member', 'refused', '1575662026976395264', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494633, NULL, 1795737494667, 1796342294633, '1323802873036800011', '1575662027156750336', NULL, 'Not one of ours', NULL, '1323802873036800003', '1575662027077058560', 2, 2, NULL, 1795737494678);
INSERT INTO public.submissions VALUES ('d9ea9b69-d479-4e4f-af43-951f95366435', '1575662027223859200', '1323802873036800000', '1323802873036800012', 'member', 'waiting', '1575662027223859200', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737494707, NULL, NULL, 1796342294706, NULL, NULL, NULL, NULL, NULL, '1323802873036800003', '1575662039781605376', 1, 1, '{"v":1,"k":"90545d8ed4de","iv":"zO/b9X6b5wl+yw1E","data":"ab0Ud5Kt9pRnGiXegAo2G3ETQiHYOhPcArxqRvSK6mt01707bDtYfO5+FVMSJbLbWQA3TfZMQinDR7mA5LzZgELNDbogypWDv/0tcowf4Jhe3dA2vsik7Qzy8+frJBWjyZU6dQA2Pb+/F9tgU5QDmNNrmhoOkbMp/aLXaqT8VNSRIW9U6iOLeGsCZn5aHBMYOeKqMCPvrNuG7N4PViX6YOn9fCgTX6EJpOzuA2/yttTM7GZ1liDsbH3wBZxlH4MDv/wFkEmruzg9uAS4Xk3Lj+v7bVTMw7S33/duD6TKzJz9VLYYo89P1/ZeEynanyI9Jp4ah6C4hLdqBQPpP8VR2JeGi8Fx38I874NVvBMOrn26V/nBd1Qg+qZsOtEtiGnLOD5m4eWY7Ce3rSFUAoQsFEHYcf2RQcVgO5cjcPC0XylXF1gWYud1CpzHA7xVjF/RfMXWIwp9uMQOxYScpsYkFLPMwj2w3m1kDWqAmjmv6V74XOpY5P3eCrptNCrTo6CGL68WHy22ujgqIdCANEDE8TJ1hNW1feR8uUbQLc0wl6xM2dIIUGSOIIIeqfjX3eOB0Go1qb6yVKJ/g93gtXnkPtB2icokFuSTwPWGGguR8HxMUuAoYGhgoFBPYZD22GPc","tag":"kEyuDp01hhyi2CHTCuWJQQ=="}', NULL);
INSERT INTO public.submissions VALUES ('306f3ffd-0307-46fc-bdf9-52e638a715cf', '1575662044244344832', '1323802873036800000', '1323802873036800011', 'admin', 'running', '1575662044244344832', '7b83ea88-862d-4a2c-9ed0-da92702d15be', 1795737497748, 1795737497748, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL);


--
-- Data for Name: used; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: documents documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);


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
-- Name: used used_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.used
    ADD CONSTRAINT used_pkey PRIMARY KEY (guild_id);


--
-- Name: documents_by_guild; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_by_guild ON public.documents USING btree (guild_id, user_id);


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
-- Name: servers_by_reservation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_reservation ON public.servers USING btree (guild_id, reserved_at);


--
-- Name: servers_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_time ON public.servers USING btree (guild_id, ended_at, submission_id, "position");


--
-- Name: servers_forgotten; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_forgotten ON public.servers USING btree (guild_id) WHERE (is_forgotten = 1);


--
-- Name: submissions_active; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX submissions_active ON public.submissions USING btree (document_id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));


--
-- Name: submissions_by_decision; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_decision ON public.submissions USING btree (decision_id);


--
-- Name: submissions_by_document; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_document ON public.submissions USING btree (document_id, created_at);


--
-- Name: submissions_by_interaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_interaction ON public.submissions USING btree (interaction_id);


--
-- Name: submissions_by_member; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_member ON public.submissions USING btree (guild_id, state, user_id);


--
-- Name: submissions_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_state ON public.submissions USING btree (state);


--
-- Name: submissions_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_time ON public.submissions USING btree (guild_id, ended_at, id, user_id, state);


--
-- Name: submissions_message_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_message_due ON public.submissions USING btree (document_id) WHERE (changes > shown);


--
-- Name: submissions_to_tell; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_to_tell ON public.submissions USING btree (ended_at) WHERE (telling IS NOT NULL);


--
-- PostgreSQL database dump complete
--


