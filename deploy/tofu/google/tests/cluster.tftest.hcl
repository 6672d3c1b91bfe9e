# Plans with a mocked provider: tofu test, or terraform test. Nothing is created.
mock_provider "google" {
  override_during = plan
  mock_data "google_compute_zones" {
    defaults = { names = ["a", "b", "c"] }
  }
  mock_resource "google_compute_instance" {
    defaults = {
      network_interface = { network_ip = "10.0.0.2", access_config = { nat_ip = "203.0.113.7" } }
    }
  }
}

variables {
  project             = "shop"
  ssh_public_key_file = "tests/key.pub"
  operator_cidrs      = ["192.0.2.7/32"]
}

run "every_machine_is_in_the_inventory" {
  command = plan
  variables {
    regions = [
      { name = "us-east", cloud_region = "us-east4", cidr = "10.10.0.0/16", servers = 2, clients = 2 },
      { name = "eu-west", cloud_region = "europe-west1", cidr = "10.20.0.0/16", servers = 1, clients = 0 },
      { name = "ap-south", cloud_region = "asia-south1", cidr = "10.30.0.0/16", servers = 1, clients = 0 },
      { name = "sa-east", cloud_region = "southamerica-east1", cidr = "10.40.0.0/16", servers = 1, clients = 0 },
    ]
  }
  assert {
    condition     = keys(yamldecode(output.inventory).all.children.morty_servers.children.us_east_servers.hosts) == ["us-east-1", "us-east-2"]
    error_message = "The servers of us-east are not in the inventory."
  }
  assert {
    condition     = keys(yamldecode(output.inventory).all.children.morty_servers.children) == ["ap_south_servers", "eu_west_servers", "sa_east_servers", "us_east_servers"]
    error_message = "A region is not in the inventory."
  }
  assert {
    condition     = keys(yamldecode(output.inventory).all.children.morty_clients.children.us_east_clients.hosts) == ["us-east-client", "us-east-client-2"]
    error_message = "The clients of us-east are not in the inventory."
  }
}

run "only_operators_use_ssh_and_only_the_cluster_its_ports" {
  command = plan
  assert {
    condition     = google_compute_firewall.ssh[0].source_ranges == toset(["192.0.2.7/32"])
    error_message = "Port 22 is open to others."
  }
  assert {
    condition     = google_compute_firewall.cluster.source_ranges == toset(["10.10.0.0/16", "10.20.0.0/16", "10.30.0.0/16"])
    error_message = "The cluster's ports are open to others, or closed to a region."
  }
}

run "nobody_uses_ssh_without_operator_cidrs" {
  command = plan
  variables {
    operator_cidrs = []
  }
  assert {
    condition     = length(google_compute_firewall.ssh) == 0
    error_message = "There is a rule for port 22; without sources it would let everybody in."
  }
}

run "networks_that_overlap_are_refused" {
  command = plan
  variables {
    regions = [
      { name = "us-east", cloud_region = "us-east4", cidr = "10.10.0.0/16", servers = 1, clients = 0 },
      { name = "eu-west", cloud_region = "europe-west1", cidr = "10.10.0.0/16", servers = 1, clients = 0 },
    ]
  }
  expect_failures = [var.regions]
}
